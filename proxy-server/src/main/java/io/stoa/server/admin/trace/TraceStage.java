// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.trace;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import io.stoa.operation.TargetName;
import io.stoa.server.accesslog.AccessLogConfig;
import io.stoa.server.admin.action.Audit;
import io.stoa.server.admin.action.Author;
import io.stoa.server.admin.trace.Trace.Limits;
import io.stoa.server.localtree.TreeAnswer;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins traces: searches of the administrator whose base is {@code cn=Trace,cn=Monitor}. All other
 * operations pass on, so that other clients find no such entry.
 *
 * <p>Threading: event loop.
 */
public final class TraceStage implements Stage {
  private static final Logger LOG = LoggerFactory.getLogger(TraceStage.class);
  private static final byte[] MONITOR = "monitor".getBytes(US_ASCII);
  private static final NormalDn BASE =
      NormalDn.of(TraceEntries.BASE.getBytes(UTF_8), ServerProfile.EXACT);

  /** Duration of a trace without a time limit: 30 s. */
  private static final Duration DURATION = Duration.ofSeconds(30);

  /** Maximum duration in seconds: 600, so that a forgotten trace ends. */
  private static final int MAX_SECONDS = 600;

  private static final int ADMIN_LIMIT_EXCEEDED = 11;
  private static final int UNAVAILABLE_CRITICAL_EXTENSION = 12;
  private static final int UNWILLING_TO_PERFORM = 53;

  private final Audit audit = new Audit(LOG);
  private final Stage next;
  private final Consumer<Operation> onAnswered;
  private final Traces traces;
  private final Supplier<AccessLogConfig> config;

  /**
   * Creates the stage before {@code next}.
   *
   * @param onAnswered called for each operation that this stage answers
   * @param config supplies the configuration of logs, which says what may be shown
   */
  public TraceStage(
      Stage next, Consumer<Operation> onAnswered, Traces traces, Supplier<AccessLogConfig> config) {
    this.next = next;
    this.onAnswered = onAnswered;
    this.traces = traces;
    this.config = config;
  }

  @Override
  public void handle(Operation operation) {
    if (!isTrace(operation)) {
      next.handle(operation);
    } else if (TreeAnswer.refusesLarge(operation)) {
      onAnswered.accept(operation);
    } else {
      SearchOp search = (SearchOp) operation.request().op();
      onAnswered.accept(operation);
      begin(operation, search);
    }
  }

  private static boolean isTrace(Operation operation) {
    if (operation.type() != OpType.SEARCH_REQUEST
        || !operation.session().identity().isAdministrator()
        || !TargetName.mayEndWith(operation.message(), MONITOR)) {
      return false;
    }
    byte[] name = TargetName.decidingPart(operation.message());
    return name != null && NormalDn.of(name, ServerProfile.EXACT).mayEqual(BASE);
  }

  private void begin(Operation operation, SearchOp search) {
    if (operation.request().controls().stream().anyMatch(Control::critical)) {
      refuse(operation, UNAVAILABLE_CRITICAL_EXTENSION, "unsupported control");
      return;
    }
    if (search.timeLimit() > MAX_SECONDS) {
      String most = "the time limit of a trace must be at most " + MAX_SECONDS + " s";
      refuse(operation, UNWILLING_TO_PERFORM, most);
      return;
    }
    try {
      AccessLogConfig shown = config.get();
      TraceSelection selection = TraceSelection.of(search.filter(), shown);
      Duration duration =
          search.timeLimit() > 0 ? Duration.ofSeconds(search.timeLimit()) : DURATION;
      Limits limits = new Limits(duration, search.sizeLimit());
      begin(new Trace(operation, selection, new TraceEntries(shown), traces, limits), operation);
    } catch (IllegalArgumentException e) {
      refuse(operation, UNWILLING_TO_PERFORM, String.valueOf(e.getMessage()));
    }
  }

  private void begin(Trace trace, Operation operation) {
    if (!operation.session().admitLongLived(operation)) {
      String most = "limits.longLivedSearches is reached on this connection";
      refuse(operation, ADMIN_LIMIT_EXCEEDED, most);
    } else if (!traces.begin(trace)) {
      String most =
          Traces.MAX + " traces run already, which is the maximum; retry when one has ended";
      refuse(operation, ADMIN_LIMIT_EXCEEDED, most);
    } else {
      operation.onAction();
      audit.logChange("trace begun for " + trace.seconds() + " s", Author.of(operation));
    }
  }

  private static void refuse(Operation operation, int code, String diagnostic) {
    operation.sink().complete(LdapResult.encode(operation.type().response(), code, diagnostic));
  }
}
