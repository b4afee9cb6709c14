// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.LdapProtocolException;

/**
 * One link of the chain that an operation travels: it answers the operation through its sink, or
 * hands it to the next link, once. Every event loop has a chain of its own, so a stage is
 * event-loop confined unless it says otherwise.
 */
@FunctionalInterface
public interface Stage {
  /**
   * Takes over the operation. Returns at once; the answer may come later.
   *
   * @throws LdapProtocolException if the request is malformed: nothing was answered or forwarded,
   *     and the caller ends the connection
   */
  void handle(Operation operation) throws LdapProtocolException;
}
