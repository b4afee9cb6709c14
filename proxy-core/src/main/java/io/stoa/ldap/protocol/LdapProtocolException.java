// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * A peer violated the protocol. There is one instance for each reason, without a stack trace and
 * without octets of the peer. So a hostile peer can neither cause the cost of stack traces nor
 * write to the log.
 *
 * <p>Threading: immutable.
 */
public final class LdapProtocolException extends Exception {
  private static final long serialVersionUID = 1L;

  private static final Map<ProtocolError, LdapProtocolException> BY_REASON =
      new EnumMap<>(ProtocolError.class);

  static {
    for (ProtocolError reason : ProtocolError.values()) {
      BY_REASON.put(reason, new LdapProtocolException(reason));
    }
  }

  private final ProtocolError reason;

  private LdapProtocolException(ProtocolError reason) {
    super(reason.text(), null, false, false);
    this.reason = reason;
  }

  public static LdapProtocolException of(ProtocolError reason) {
    return Objects.requireNonNull(BY_REASON.get(reason));
  }

  public ProtocolError reason() {
    return reason;
  }
}
