// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.stoa.ldap.LdapMessage;
import io.stoa.operation.Operation;

/** What uses an upstream connection, and hears what becomes of it. Event-loop confined. */
interface ConnectionOwner {
  /** An operation has ended, so that there is room for another. */
  void room(UpstreamConnection connection);

  /** The connection has ended. */
  void closed(UpstreamConnection connection);

  /** An operation that was sent on the connection will not be answered there. */
  void unanswered(Operation operation);

  /** A server's notification that is not the answer to anything. Takes ownership. */
  void unsolicited(UpstreamConnection connection, LdapMessage notification);
}
