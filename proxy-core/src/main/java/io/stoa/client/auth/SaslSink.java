// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.auth;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;

/** Moves the client's SASL bind on with each answer, before it gets that. Event-loop confined. */
public final class SaslSink extends ForwardingSink {
  private static final int SUCCESS = 0;
  private static final int SASL_BIND_IN_PROGRESS = 14;

  private final Steps client;
  private final Operation operation;
  private final String mechanism;

  /** Wraps the sink of a step. */
  public SaslSink(Steps client, Operation operation, String mechanism) {
    super(operation.sink());
    this.client = client;
    this.operation = operation;
    this.mechanism = mechanism;
  }

  /** What the answers to steps lead to. Event-loop confined. */
  public interface Steps {
    /** The server wants a further step; the client is anonymous until the last. */
    void goesOn(String mechanism);

    /** The bind has failed: what was left of it is to be given up. */
    void failed();

    /** The bind has succeeded. */
    void succeeded(String mechanism);
  }

  @Override
  public void complete(LdapMessage response) {
    if (!operation.ended()) {
      switch (LdapResult.codeOf(response.body())) {
        case SUCCESS -> client.succeeded(mechanism);
        case SASL_BIND_IN_PROGRESS -> client.goesOn(mechanism);
        default -> client.failed();
      }
    }
    next.complete(response);
  }

  @Override
  public void complete(byte[] op) {
    client.failed();
    next.complete(op);
  }

  @Override
  public void reject(Rejection reason) {
    client.failed();
    next.reject(reason);
  }
}
