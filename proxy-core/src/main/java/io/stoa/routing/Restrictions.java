// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.operation.Operation;
import io.stoa.operation.Restriction;
import java.util.Set;

/**
 * Classifies requests by the state that they may leave on their connection. A request that leaves
 * state needs a connection that serves its client alone.
 *
 * <p>Threading: immutable.
 */
final class Restrictions {
  /** Controls of results that span several operations on one connection. */
  private static final Set<String> CONTINUED = Set.of(Oids.PAGED, Oids.VLV_REQUEST, Oids.DIRSYNC);

  /** Controls of searches that run until the client ends them. */
  private static final Set<String> ENDLESS =
      Set.of(Oids.PERSISTENT_SEARCH, Oids.SYNC_REQUEST, Oids.AD_NOTIFICATION);

  private static final int REFRESH_ONLY = 1;

  /** Controls that are known to affect their own request only. */
  private static final Set<String> STATELESS =
      Set.of(
          Oids.MANAGE_DSA_IT,
          Oids.SUBENTRIES,
          Oids.SORT_REQUEST,
          Oids.DONT_USE_COPY,
          Oids.PROXIED_AUTHZ_V1,
          Oids.PROXIED_AUTHZ_V2,
          Oids.ASSERTION,
          Oids.MATCHED_VALUES,
          Oids.PRE_READ,
          Oids.POST_READ,
          Oids.PASSWORD_POLICY,
          Oids.EFFECTIVE_RIGHTS,
          Oids.SESSION_TRACKING,
          Oids.DEREF,
          Oids.NO_OP,
          Oids.RELAX,
          Oids.TREE_DELETE,
          Oids.PERMISSIVE_MODIFY,
          Oids.LAZY_COMMIT);

  /** Extended operations that are known to leave no state. */
  private static final Set<String> STATELESS_EXTENDED =
      Set.of(Oids.WHO_AM_I, Oids.PASSWORD_MODIFY, Oids.CANCEL, Oids.DYNAMIC_REFRESH);

  private Restrictions() {}

  /**
   * True for an extended operation that Stoa does not know and that may leave state on the
   * connection.
   */
  static boolean mayLeaveUnknownState(Request request) {
    return request.op() instanceof ExtendedOp extended
        && !STATELESS_EXTENDED.contains(extended.oid());
  }

  /** Returns how far an operation pins its client to a connection of its own. */
  static Restriction of(Operation operation) {
    return operation.isPlain() ? Restriction.NONE : of(operation.request());
  }

  /** Returns how far a request pins its client to a connection of its own. */
  static Restriction of(Request request) {
    if (mayLeaveUnknownState(request)) {
      return Restriction.EXCLUSIVE;
    }
    Restriction strongest =
        request.irregular() ? Restriction.DEDICATED_CONNECTION : Restriction.NONE;
    if (request.controls().isEmpty()) {
      return strongest;
    }
    for (Control control : request.controls()) {
      Restriction needed = of(control);
      strongest = needed.compareTo(strongest) > 0 ? needed : strongest;
    }
    return strongest;
  }

  private static Restriction of(Control control) {
    String oid = control.oid();
    if (oid.equals(Oids.TXN_SPEC)) {
      return Restriction.EXCLUSIVE;
    }
    boolean dedicated =
        CONTINUED.contains(oid)
            || ENDLESS.contains(oid)
            || (control.critical() && !STATELESS.contains(oid));
    return dedicated ? Restriction.DEDICATED_CONNECTION : Restriction.NONE;
  }

  /** True if a connection may hold lasting state after the request has succeeded. */
  static boolean leavesState(Request request) {
    return of(request) == Restriction.EXCLUSIVE
        || request.controls().stream().anyMatch(Restrictions::leavesState);
  }

  /**
   * True for a control with lasting state. Pages and endless searches do not count: their end is
   * visible.
   */
  private static boolean leavesState(Control control) {
    String oid = control.oid();
    return of(control) != Restriction.NONE && !oid.equals(Oids.PAGED) && !ENDLESS.contains(oid);
  }

  /** True if the effect of a control is known. */
  static boolean isKnown(String oid) {
    return STATELESS.contains(oid) || CONTINUED.contains(oid) || ENDLESS.contains(oid);
  }

  /** True for a search that runs until the client ends it. */
  static boolean isEndlessSearch(Operation operation) {
    return operation.type() == OpType.SEARCH_REQUEST
        && !operation.isPlain()
        && !operation.request().controls().isEmpty()
        && operation.request().controls().stream().anyMatch(Restrictions::isEndless);
  }

  /**
   * True for a control that makes a search endless. A sync search in mode refreshOnly (RFC 4533,
   * section 2.2) ends by itself.
   */
  private static boolean isEndless(Control control) {
    byte[] value = control.value();
    boolean refreshOnly =
        control.oid().equals(Oids.SYNC_REQUEST) && value != null && mode(value) == REFRESH_ONLY;
    return ENDLESS.contains(control.oid()) && !refreshOnly;
  }

  /** Returns the mode of a sync search; -1 if it cannot be decoded. */
  private static int mode(byte[] syncRequestValue) {
    try {
      BerReader reader = new BerReader(syncRequestValue, ProtocolError.MALFORMED_REQUEST);
      reader.enter(BerReader.SEQUENCE);
      return reader.integer(BerReader.ENUMERATED);
    } catch (LdapProtocolException e) {
      return -1;
    }
  }
}
