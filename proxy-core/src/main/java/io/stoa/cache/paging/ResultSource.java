// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.Operation;

/** What paging asks of the caches behind it. Event-loop confined. */
public interface ResultSource {
  /**
   * Whether the result of a search may be kept and served again.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  boolean mayKeep(Operation search) throws LdapProtocolException;

  /**
   * Answers a search if its result is there; else does nothing and returns false.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  boolean answer(Operation search) throws LdapProtocolException;

  /** Whether an entry holds what is not kept in memory. */
  boolean isSecret(byte[] entry);
}
