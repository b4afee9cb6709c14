// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.ProtocolError;

/**
 * The request of an operation cannot be decoded. Only the first {@link Operation#request} throws
 * the exception, and the client's connection ends over it. All stages pass it on, so it is
 * unchecked. No stack trace is made: a hostile client must not cause that cost.
 *
 * <p>Threading: immutable.
 */
public final class MalformedRequestException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ProtocolError reason;

  public MalformedRequestException(ProtocolError reason) {
    super(reason.text(), null, false, false);
    this.reason = reason;
  }

  public ProtocolError reason() {
    return reason;
  }
}
