// SPDX-License-Identifier: Apache-2.0
package io.stoa.identity;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.BerReader;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.ProtocolError;
import io.stoa.ldap.RequestOp.ExtendedOp;
import org.jspecify.annotations.Nullable;

/**
 * The user in a request to change a password (RFC 3062, section 2):
 *
 * <pre>PasswdModifyRequestValue ::= SEQUENCE { userIdentity [0] OCTET STRING OPTIONAL, ...
 * }</pre>
 *
 * <p>Stateless.
 */
public final class PasswordOwner {
  private static final int USER_IDENTITY = 0x80;

  private PasswordOwner() {}

  /** The name of the user as it is given; null if that is the client itself. */
  public static byte @Nullable [] of(LdapMessage message, ExtendedOp modify) {
    if (modify.valueLength() < 0) {
      return null;
    }
    try {
      return read(message, modify);
    } catch (LdapProtocolException e) {
      return null; // whoever is asked will say so
    }
  }

  private static byte @Nullable [] read(LdapMessage message, ExtendedOp modify)
      throws LdapProtocolException {
    ByteBuf body = message.body();
    int start = body.readerIndex() + modify.valueOffset();
    BerReader value =
        new BerReader(body.slice(start, modify.valueLength()), ProtocolError.MALFORMED_REQUEST);
    value.enter(BerReader.SEQUENCE);
    boolean named = value.hasMore() && value.peekTag() == USER_IDENTITY;
    return named ? value.octets(USER_IDENTITY) : null;
  }
}
