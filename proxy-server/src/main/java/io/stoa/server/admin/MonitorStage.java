// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.OpType;
import io.stoa.ldap.RequestOp;
import io.stoa.ldap.RequestOp.AddOp;
import io.stoa.ldap.RequestOp.BindOp;
import io.stoa.ldap.RequestOp.CompareOp;
import io.stoa.ldap.RequestOp.DeleteOp;
import io.stoa.ldap.RequestOp.ModifyDnOp;
import io.stoa.ldap.RequestOp.ModifyOp;
import io.stoa.ldap.RequestOp.SearchOp;
import io.stoa.match.NormalDn;
import io.stoa.match.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import io.stoa.operation.TargetName;
import java.nio.charset.StandardCharsets;

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
    NormalDn name = NormalDn.of(name(operation.request().op()), ServerProfile.EXACT);
    if (!name.isBelowOrEqual(MONITOR)) {
      return false;
    }
    new MonitorAnswer(operation, source).give(MONITOR.isBelowOrEqual(name));
    return true;
  }

  private static byte[] name(RequestOp op) {
    if (op instanceof SearchOp search) {
      return search.base();
    }
    if (op instanceof CompareOp compare) {
      return compare.entry();
    }
    if (op instanceof BindOp bind) {
      return bind.name();
    }
    return nameOfUpdate(op);
  }

  private static byte[] nameOfUpdate(RequestOp op) {
    if (op instanceof AddOp add) {
      return add.entry();
    }
    if (op instanceof ModifyOp modify) {
      return modify.entry();
    }
    if (op instanceof DeleteOp delete) {
      return delete.entry();
    }
    return ((ModifyDnOp) op).entry();
  }
}
