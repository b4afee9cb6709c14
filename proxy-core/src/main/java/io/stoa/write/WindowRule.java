// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.RequestOp.ModifyOp;
import io.stoa.operation.Operation;
import io.stoa.operation.Restriction;
import java.util.Locale;
import java.util.Set;

/**
 * Decides which writes may wait in a window, and which must pass it at once.
 *
 * <p>Threading: stateless.
 */
final class WindowRule {
  /**
   * Controls with the same effect after a delay: they decide how a write is performed, and when it
   * is refused.
   */
  private static final Set<String> DELAYABLE =
      Set.of(
          Oids.MANAGE_DSA_IT,
          Oids.PROXIED_AUTHZ_V1,
          Oids.PROXIED_AUTHZ_V2,
          Oids.ASSERTION,
          Oids.PRE_READ,
          Oids.POST_READ,
          Oids.PASSWORD_POLICY,
          Oids.SESSION_TRACKING,
          Oids.NO_OP,
          Oids.RELAX,
          Oids.TREE_DELETE,
          Oids.PERMISSIVE_MODIFY,
          Oids.LAZY_COMMIT);

  private static final Set<String> PASSWORDS =
      Set.of(
          "userpassword",
          "2.5.4.35",
          "authpassword",
          "unicodepwd",
          "dbcspwd",
          "krbprincipalkey",
          "sambantpassword",
          "sambalmpassword",
          "pwdreset",
          "pwdaccountlockedtime");

  private WindowRule() {}

  /**
   * True if a write may wait. A write that depends on a transaction or other state of its
   * connection may not, nor one of an unknown kind.
   */
  static boolean mayWait(Operation operation, Request request, WindowConfig config) {
    boolean password = isOfPassword(request.op());
    boolean knownKind = !(request.op() instanceof ExtendedOp) || password;
    boolean free = operation.session().restriction() != Restriction.EXCLUSIVE;
    return knownKind
        && free
        && !request.irregular()
        && (config.passwords() || !password)
        && request.controls().stream().allMatch(WindowRule::isPatient);
  }

  private static boolean isPatient(Control control) {
    String oid = control.oid();
    boolean urgent = oid.equals(Oids.WRITE_NOW) || oid.equals(Oids.TXN_SPEC);
    return !urgent && (!control.critical() || DELAYABLE.contains(oid));
  }

  /** True for a Password Modify (RFC 3062), and for a change of a password attribute. */
  private static boolean isOfPassword(RequestOp op) {
    return op instanceof ModifyOp modify
        ? modify.attributes().stream().anyMatch(WindowRule::isPassword)
        : op instanceof ExtendedOp extended && extended.oid().equals(Oids.PASSWORD_MODIFY);
  }

  private static boolean isPassword(byte[] description) {
    String text = new String(description, ISO_8859_1).toLowerCase(Locale.ROOT);
    int options = text.indexOf(';');
    return PASSWORDS.contains(options < 0 ? text : text.substring(0, options));
  }
}
