// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.quota;

import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Stage;

/**
 * Refuses operations beyond the limits of their network or identity. The stage is the first of its
 * loop. Binds are admitted before it, because Stoa answers some of them without a stage.
 *
 * <p>Threading: event loop.
 */
public final class QuotaStage implements Stage {
  private final ClientQuotas quotas;
  private final Stage next;

  /** Creates the stage before {@code next}. */
  public QuotaStage(ClientQuotas quotas, Stage next) {
    this.quotas = quotas;
    this.next = next;
  }

  @Override
  public void handle(Operation operation) {
    Rejection refusal = ClientQuotas.isBind(operation) ? null : quotas.admit(operation);
    if (refusal == null) {
      next.handle(operation);
    } else {
      operation.sink().reject(refusal);
    }
  }
}
