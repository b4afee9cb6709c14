// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.Operation;

/**
 * The part of the result cache that paging uses.
 *
 * <p>Threading: event-loop confined.
 */
public interface ResultSource {
  /**
   * True if the result of a search may be stored and served again.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  boolean isCacheable(Operation search) throws LdapProtocolException;

  /**
   * Answers a search from memory. Does nothing and returns false if its result is not stored.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  boolean answer(Operation search) throws LdapProtocolException;

  /** True if an entry holds an attribute that is never stored. */
  boolean isSecret(byte[] entry);
}
