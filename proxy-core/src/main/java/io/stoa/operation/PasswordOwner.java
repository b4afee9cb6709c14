// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The user in a request to change a password (RFC 3062, section 2):
 *
 * <pre>PasswdModifyRequestValue ::= SEQUENCE { userIdentity [0] OCTET STRING OPTIONAL, ... }</pre>
 *
 * <p>Threading: stateless.
 */
public final class PasswordOwner {
  private static final int USER_IDENTITY = 0x80;
  private static final byte[] NO_USER = {};
  private static final String DN = "dn:";
  private static final Set<String> OF_OTHERS = Set.of(Oids.PROXIED_AUTHZ_V1, Oids.PROXIED_AUTHZ_V2);

  private PasswordOwner() {}

  /**
   * Returns the name of the user in the request, without the prefix "dn:". Null if the request
   * changes no password, or that of the client itself.
   */
  public static byte @Nullable [] named(LdapMessage message, Request request) {
    try {
      byte[] user = isChange(request) ? user(message, (ExtendedOp) request.op()) : NO_USER;
      return user.length == 0 ? null : user;
    } catch (LdapProtocolException e) {
      return null; // the server refuses a malformed value
    }
  }

  /**
   * Returns the name of the user whose password an operation changes; null if it is not known, or
   * if no password is changed.
   */
  public static byte @Nullable [] of(Operation operation, Request request) {
    if (!isChange(request)) {
      return null;
    }
    try {
      byte[] user = user(operation.message(), (ExtendedOp) request.op());
      return user.length == 0 ? own(operation, request) : user;
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  /** Returns the client's own name; null if a control makes it act as another identity. */
  private static byte @Nullable [] own(Operation operation, Request request) {
    boolean other =
        request.controls().stream().anyMatch(control -> OF_OTHERS.contains(control.oid()));
    return other ? null : operation.session().identity().dn();
  }

  private static boolean isChange(Request request) {
    return request.op() instanceof ExtendedOp extended
        && extended.oid().equals(Oids.PASSWORD_MODIFY);
  }

  /** Returns the user; empty if it is the client itself. */
  private static byte[] user(LdapMessage message, ExtendedOp modify) throws LdapProtocolException {
    if (modify.valueLength() < 0) {
      return NO_USER;
    }
    ByteBuf body = message.body();
    int start = body.readerIndex() + modify.valueOffset();
    BerReader value =
        new BerReader(body.slice(start, modify.valueLength()), ProtocolError.MALFORMED_REQUEST);
    value.enter(BerReader.SEQUENCE);
    boolean named = value.hasMore() && value.peekTag() == USER_IDENTITY;
    return named ? withoutPrefix(value.octets(USER_IDENTITY)) : NO_USER;
  }

  /** Removes the prefix "dn:", with which no DN begins. */
  private static byte[] withoutPrefix(byte[] user) {
    boolean prefixed =
        user.length > DN.length()
            && new String(user, 0, DN.length(), StandardCharsets.ISO_8859_1).equalsIgnoreCase(DN);
    return prefixed ? Arrays.copyOfRange(user, DN.length(), user.length) : user;
  }
}
