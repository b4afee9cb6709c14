// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.auth;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.Operation;
import java.util.function.Consumer;

/** Binds by which clients become somebody whom only Stoa knows. Thread-safe. */
public interface StoredCredentials {
  /** There are none. */
  StoredCredentials NONE =
      new StoredCredentials() {
        @Override
        public boolean takes(Operation operation, BindOp bind) {
          return false;
        }

        @Override
        public void answer(Operation operation, BindOp bind, Consumer<ClientIdentity> bound) {
          throw new IllegalStateException("not taken");
        }
      };

  /** Whether the bind is answered here: no directory sees anything of it. */
  boolean takes(Operation operation, BindOp bind) throws LdapProtocolException;

  /**
   * Answers the bind, at once or later on the event loop of the operation.
   *
   * @param bound hears who the client is now, before it gets the answer
   */
  void answer(Operation operation, BindOp bind, Consumer<ClientIdentity> bound)
      throws LdapProtocolException;
}
