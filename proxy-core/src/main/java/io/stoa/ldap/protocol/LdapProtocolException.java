// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * A peer broke the protocol. One constant per reason, without a stack trace and without anything
 * that the peer sent: a hostile peer can neither make us build traces nor write into our log.
 *
 * <p>Immutable.
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
