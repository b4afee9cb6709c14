// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.cache.result.Explanation;
import io.stoa.cache.result.Explanation.Question;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.MalformedRequestException;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import io.stoa.server.localtree.AnswerQueue;
import io.stoa.server.localtree.TreeAnswer;
import io.stoa.server.localtree.TreeEntry;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Explains to the administrator how the caches would answer a search, instead of running it.
 * Handles searches with the explain control; all other operations pass on. This stage is in the
 * administrator's chain only.
 *
 * <p>Threading: event loop; the explanation is computed on the threads of {@link AnswerQueue}.
 */
public final class ExplainStage implements Stage {
  private static final byte[] CONTROL = Oids.EXPLAIN.getBytes(US_ASCII);
  private static final String NAME = "cn=Explanation,cn=Caches,cn=Monitor";
  private static final String DN_FORM = "dn:";
  private static final int SUCCESS = 0;
  private static final int PROTOCOL_ERROR = 2;

  /** Maximum size in octets of a search to explain: 64 KiB, as the event loop decodes it. */
  private static final int MAX_OCTETS = 64 * 1024;

  private final Stage next;
  private final Consumer<Operation> onAnswered;
  private final CacheExplainer caches;
  private final AnswerQueue answers;

  /** The caches, as far as they explain themselves. */
  @FunctionalInterface
  public interface CacheExplainer {
    /** Explains a search. Threading: any thread. */
    Explanation explain(Question question);
  }

  /**
   * Creates the stage before {@code next}.
   *
   * @param onAnswered called for each operation that this stage answers
   * @param answers computes answers off the event loops
   */
  public ExplainStage(
      Stage next, Consumer<Operation> onAnswered, CacheExplainer caches, AnswerQueue answers) {
    this.next = next;
    this.onAnswered = onAnswered;
    this.caches = caches;
    this.answers = answers;
  }

  @Override
  public void handle(Operation operation) {
    if (operation.type() == OpType.SEARCH_REQUEST && operation.message().hasControl(CONTROL)) {
      explain(operation);
    } else {
      next.handle(operation);
    }
  }

  private void explain(Operation operation) {
    if (TreeAnswer.refusesLarge(operation, MAX_OCTETS)) {
      onAnswered.accept(operation);
      return;
    }
    List<Control> controls = operation.request().controls();
    ClientIdentity identity = identity(value(controls));
    onAnswered.accept(operation);
    if (identity == null) {
      complete(operation, PROTOCOL_ERROR, "the control's value must be empty or dn:NAME");
    } else {
      Question question = new Question(operation.message().copyOp(), controls, identity);
      answers.submit(
          operation,
          () -> CompletableFuture.completedFuture(question),
          (asked, wanted) -> answer(operation, asked));
    }
  }

  private Runnable answer(Operation operation, Question question) {
    try {
      byte[] entry = entry(caches.explain(question)).encode();
      return () -> {
        operation.sink().respond(new EncodedResponse(entry));
        complete(operation, SUCCESS, "");
      };
    } catch (MalformedRequestException e) {
      return () -> complete(operation, PROTOCOL_ERROR, String.valueOf(e.getMessage()));
    }
  }

  private static String value(List<Control> controls) {
    return controls.stream()
        .filter(control -> control.oid().equals(Oids.EXPLAIN))
        .map(control -> control.value() == null ? "" : new String(control.value(), UTF_8))
        .findFirst()
        .orElse("");
  }

  /**
   * Parses an authorization identity (RFC 4513, section 5.2.1.8). Returns null if no client of a
   * directory can have it.
   */
  private static @Nullable ClientIdentity identity(String authzId) {
    boolean dn = authzId.toLowerCase(Locale.ROOT).startsWith(DN_FORM);
    byte[] name = authzId.substring(dn ? DN_FORM.length() : 0).getBytes(UTF_8);
    if (name.length == 0) {
      return ClientIdentity.ANONYMOUS;
    }
    return dn && ClientIdentity.mayBeBound(name) ? ClientIdentity.simple(name, null) : null;
  }

  private static TreeEntry entry(Explanation explanation) {
    TreeEntry entry =
        new TreeEntry(NAME)
            .add("objectClass", "stoaExplanation")
            .add("cn", "Explanation")
            .add("stoaAnswer", explanation.answer().name().toLowerCase(Locale.ROOT))
            .add("stoaReason", explanation.reasons().stream().map(String::valueOf).toList());
    if (explanation.answer() == Explanation.Answer.HIT) {
      entry.add("stoaHeldBy", explanation.isHeldByFeed() ? "feed" : "age");
    }
    explanation.ageMillis().ifPresent(age -> entry.add("stoaAge", Long.toString(age)));
    explanation.remainingMillis().ifPresent(millis -> entry.add("stoaKept", Long.toString(millis)));
    if (explanation.entries() >= 0) {
      entry.add("stoaEntries", Integer.toString(explanation.entries()));
    }
    return entry;
  }

  private static void complete(Operation operation, int code, String diagnostic) {
    operation.sink().complete(LdapResult.encode(operation.type().response(), code, diagnostic));
  }
}
