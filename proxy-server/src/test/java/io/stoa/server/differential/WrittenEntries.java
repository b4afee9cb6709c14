// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import com.unboundid.ldap.protocol.ExtendedRequestProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ModifyDNRequestProtocolOp;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.RDN;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import java.util.List;

/** Which entries a request writes, as far as its octets tell. */
final class WrittenEntries {
  private static final int ADD = 0x68;
  private static final int MODIFY = 0x66;
  private static final int MODIFY_DN = 0x6c;
  private static final int EXTENDED = 0x77;

  private WrittenEntries() {}

  static List<String> of(RawRequest request) {
    return switch (request.tag()) {
      case ADD -> List.of(decoded(request).getAddRequestProtocolOp().getDN());
      case MODIFY -> List.of(decoded(request).getModifyRequestProtocolOp().getDN());
      case MODIFY_DN -> renamed(decoded(request).getModifyDNRequestProtocolOp());
      case EXTENDED -> passwordOf(decoded(request).getExtendedRequestProtocolOp());
      default -> List.of();
    };
  }

  private static LDAPMessage decoded(RawRequest request) {
    return RawMessage.parse(request.encode(1)).decoded();
  }

  /** The entry that a password modify names; one's own is not told by the request. */
  private static List<String> passwordOf(ExtendedRequestProtocolOp op) {
    if (!op.getOID().equals(PasswordModifyExtendedRequest.PASSWORD_MODIFY_REQUEST_OID)) {
      return List.of();
    }
    try {
      String user =
          new PasswordModifyExtendedRequest(new ExtendedRequest(op.getOID(), op.getValue()))
              .getUserIdentity();
      return user == null ? List.of() : List.of(user);
    } catch (LDAPException malformed) {
      // The directory will refuse it, and nothing will have been written.
      return List.of();
    }
  }

  private static List<String> renamed(ModifyDNRequestProtocolOp op) {
    try {
      DN old = new DN(op.getDN());
      DN parent = op.getNewSuperiorDN() == null ? old.getParent() : new DN(op.getNewSuperiorDN());
      DN renamed =
          parent == null ? new DN(op.getNewRDN()) : new DN(new RDN(op.getNewRDN()), parent);
      return List.of(op.getDN(), renamed.toString());
    } catch (LDAPException notNames) {
      // The directory will refuse it, and nothing will have been written.
      return List.of();
    }
  }
}
