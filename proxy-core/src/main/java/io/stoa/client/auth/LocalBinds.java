// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.auth;

import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.Operation;
import java.util.function.Consumer;

/**
 * Binds that Stoa itself answers, for identities that no directory knows, such as its
 * administrators.
 *
 * <p>Threading: thread-safe.
 */
public interface LocalBinds {
  /** Answers no bind. */
  LocalBinds NONE =
      new LocalBinds() {
        @Override
        public boolean handles(Operation operation, BindOp bind) {
          return false;
        }

        @Override
        public void answer(Operation operation, BindOp bind, Consumer<ClientIdentity> bound) {
          throw new IllegalStateException("not taken");
        }
      };

  /** True if the bind is answered here, and must not be sent to a directory. */
  boolean handles(Operation operation, BindOp bind);

  /**
   * Answers the bind, at once or later on the event loop of the operation.
   *
   * @param bound receives the client's identity before the response is sent
   */
  void answer(Operation operation, BindOp bind, Consumer<ClientIdentity> bound);
}
