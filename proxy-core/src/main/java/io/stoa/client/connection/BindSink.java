// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.Credentials;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;

/**
 * Sets the client's identity after a successful simple bind, before the client receives the
 * response. A bind name with an empty password yields the anonymous identity, whatever the server
 * answers (RFC 4513, section 5.1.2).
 *
 * <p>Threading: event loop.
 */
final class BindSink extends ForwardingSink {
  private static final int SUCCESS = 0;

  private final ClientConnection client;
  private final Operation operation;
  private final BindOp bind;
  private final boolean keepPassword;

  BindSink(ClientConnection client, Operation operation, BindOp bind, boolean keepPassword) {
    super(operation.sink());
    this.client = client;
    this.operation = operation;
    this.bind = bind;
    this.keepPassword = keepPassword;
  }

  @Override
  public void complete(Response response) {
    boolean own = response instanceof EncodedResponse;
    if (own || !operation.hasEnded()) {
      onResult(own ? response : LdapMessage.ofBind(response));
    }
    next.complete(response);
  }

  private void onResult(Response response) {
    if (LdapResult.quickCodeOf(response) != SUCCESS) {
      client.onBindFailed();
    } else if (response instanceof EncodedResponse) {
      client.onBindEnd(ClientIdentity.ANONYMOUS);
    } else {
      client.onBindEnd(identity());
    }
  }

  @Override
  public void reject(Rejection reason) {
    client.onBindFailed();
    next.reject(reason);
  }

  private ClientIdentity identity() {
    if (bind.name().length == 0 || bind.credentialsLength() == 0) {
      return ClientIdentity.ANONYMOUS;
    }
    return ClientIdentity.simple(bind.name(), keepPassword ? credentials() : null);
  }

  private Credentials credentials() {
    return Credentials.of(operation.message(), client.isTls());
  }
}
