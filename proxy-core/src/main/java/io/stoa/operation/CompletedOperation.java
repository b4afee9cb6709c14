// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Request;
import io.stoa.net.peer.Peer;
import org.jspecify.annotations.Nullable;

/**
 * An operation of a client that has ended, as access logs need it.
 *
 * <p>Threading: immutable. The trace of an abandoned operation may still change, so that a line may
 * mix two sendings.
 *
 * @param client number of the client since the start
 * @param peer properties of the client that its connection proves
 * @param identity name of the client's identity, as {@code ClientIdentity.name} returns it; for a
 *     bind the new one
 * @param type kind of the request
 * @param messageId messageID of the request
 * @param length octets of the request
 * @param octets a search or compare as octets of protocolOp and controls; null for other requests
 * @param request the decoded request; null for a search or compare, and if it was never decoded or
 *     has no contents
 * @param values a write with its values, retained; null unless the listener wants values
 * @param resultCode the result code; {@link #ABANDONED} without a response
 * @param times times of the operation
 * @param trace the course of the operation
 * @param sendings number of requests that were sent to servers
 */
public record CompletedOperation(
    long client,
    Peer peer,
    Octets identity,
    OpType type,
    int messageId,
    int length,
    byte @Nullable [] octets,
    @Nullable Request request,
    @Nullable LdapMessage values,
    int resultCode,
    Times times,
    OperationTrace trace,
    int sendings) {
  /** Result code of an operation that ended without a response: -1. */
  public static final int ABANDONED = -1;

  /**
   * Times as of {@link System#nanoTime}.
   *
   * <p>Threading: immutable.
   *
   * @param received time of receipt
   * @param answered time of the last part of a server's answer; that of receipt without one
   * @param ended time of the end
   */
  public record Times(long received, long answered, long ended) {
    /** Returns the time from receipt to end, in ns. */
    public long elapsed() {
      return ended - received;
    }
  }

  /** Returns the same without the retained request. */
  public CompletedOperation withoutValues() {
    return values == null
        ? this
        : new CompletedOperation(
            client,
            peer,
            identity,
            type,
            messageId,
            length,
            octets,
            request,
            null,
            resultCode,
            times,
            trace,
            sendings);
  }

  /** Releases the retained request. Called once by the receiver. */
  public void release() {
    if (values != null) {
      values.release();
    }
  }
}
