// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.auth;

import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;

/**
 * Advances the client's SASL exchange with each response, before the client receives it.
 *
 * <p>Threading: event loop.
 */
public final class SaslSink extends ForwardingSink {
  private static final int SUCCESS = 0;
  private static final int SASL_BIND_IN_PROGRESS = 14;

  private final StepListener client;
  private final Operation operation;
  private final String mechanism;

  /** Wraps the sink of one step. */
  public SaslSink(StepListener client, Operation operation, String mechanism) {
    super(operation.sink());
    this.client = client;
    this.operation = operation;
    this.mechanism = mechanism;
  }

  /**
   * Callbacks for the results of steps.
   *
   * <p>Threading: event loop.
   */
  public interface StepListener {
    /**
     * Called when the server expects another step. The client stays anonymous until the last one.
     */
    void onStep(String mechanism);

    /** Called when the bind has failed. The exchange must be discarded. */
    void onFailure();

    /** Called when the bind has succeeded. */
    void onSuccess(String mechanism);
  }

  @Override
  public void complete(Response response) {
    if (response instanceof EncodedResponse) {
      client.onFailure(); // Stoa's own response ends the exchange with the server
    } else if (!operation.hasEnded()) {
      switch (LdapResult.codeOf(LdapMessage.ofBind(response).body())) {
        case SUCCESS -> client.onSuccess(mechanism);
        case SASL_BIND_IN_PROGRESS -> client.onStep(mechanism);
        default -> client.onFailure();
      }
    }
    next.complete(response);
  }

  @Override
  public void reject(Rejection reason) {
    client.onFailure();
    next.reject(reason);
  }
}
