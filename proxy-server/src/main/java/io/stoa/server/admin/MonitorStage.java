// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.OpType;
import io.stoa.ldap.RequestOp;
import io.stoa.ldap.RequestOp.BindOp;
import io.stoa.match.NormalDn;
import io.stoa.match.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import io.stoa.operation.TargetName;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Answers what is asked of {@code cn=monitor} and of names below it; everything else passes on. Its
 * place is before the caches. Of what is not its own it reads a few octets only. Event-loop
 * confined.
 */
public final class MonitorStage implements Stage {
  private static final byte[] LAST_LETTERS = "monitor".getBytes(StandardCharsets.US_ASCII);
  private static final NormalDn MONITOR =
      NormalDn.of(MonitorAnswer.NAME.getBytes(StandardCharsets.US_ASCII), ServerProfile.EXACT);

  private final Stage next;
  private final MonitorSource source;

  /** Answers before {@code next}. */
  public MonitorStage(Stage next, MonitorSource source) {
    this.next = next;
    this.source = source;
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    try {
      if (!TargetName.endsWith(operation.message(), LAST_LETTERS) || !answer(operation)) {
        next.handle(operation);
      }
    } catch (LdapProtocolException e) {
      if (operation.type() == OpType.SEARCH_REQUEST) {
        source.counters().malformedSearch();
      }
      throw e;
    }
  }

  /** Returns false, and has done nothing, if the name is neither ours nor below it. */
  private boolean answer(Operation operation) throws LdapProtocolException {
    byte[] octets = name(operation.request().op());
    if (octets == null) {
      return false;
    }
    NormalDn name = NormalDn.of(octets, ServerProfile.EXACT);
    if (!name.isBelowOrEqual(MONITOR)) {
      return false;
    }
    new MonitorAnswer(operation, source).give(MONITOR.isBelowOrEqual(name));
    return true;
  }

  private static byte @Nullable [] name(RequestOp op) {
    return op instanceof BindOp bind ? bind.name() : op.target();
  }
}
