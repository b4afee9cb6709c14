// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

/**
 * A response to one operation. An {@link LdapMessage} is from a server or has controls, an {@link
 * EncodedResponse} is from memory, and one that is too large to be collected arrives in pieces.
 *
 * <p>Threading: event loop of the operation.
 */
public interface Response {
  /** Returns the kind of protocolOp. */
  OpType type();

  /** Discards the response. */
  default void release() {
    // A response that owns no buffer needs no release.
  }
}
