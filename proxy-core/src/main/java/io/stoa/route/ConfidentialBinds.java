// SPDX-License-Identifier: Apache-2.0
package io.stoa.route;

import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.OpType;
import io.stoa.ldap.RequestOp.BindOp;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Stage;

/**
 * Refuses binds of clients that came by TLS where a directory server is reached in plain: whoever
 * protects a password on its way to Stoa does not expect it in the clear behind it. The answer is
 * unwillingToPerform, not confidentialityRequired: that would ask the client for what it has done.
 * Stateless.
 */
public final class ConfidentialBinds implements Stage {
  private final Stage next;

  /** Makes the link before {@code next}. */
  public ConfidentialBinds(Stage next) {
    this.next = next;
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    if (operation.type() == OpType.BIND_REQUEST
        && operation.session().tls()
        && hasSecret((BindOp) operation.request().op())) {
      operation.sink().reject(Rejection.UPSTREAM_PLAIN);
    } else {
      next.handle(operation);
    }
  }

  /** What SASL mechanisms send is taken for one. */
  private static boolean hasSecret(BindOp bind) {
    return bind.credentialsLength() != 0;
  }
}
