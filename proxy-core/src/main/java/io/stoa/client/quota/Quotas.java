// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.quota;

/**
 * The limits of networks and of identities.
 *
 * <p>Threading: immutable.
 *
 * @param network limits of each client network
 * @param identity limits of each identity; anonymous clients have none
 */
public record Quotas(QuotaConfig network, QuotaConfig identity) {
  /** No limits. */
  public static final Quotas OFF = new Quotas(QuotaConfig.OFF, QuotaConfig.OFF);

  /** The defaults: a limit of connections of a network alone. */
  public static final Quotas DEFAULTS =
      new Quotas(
          new QuotaConfig(QuotaConfig.AUTO, 0, 0, 0, 0, QuotaConfig.OFF.failedBindDelay()),
          QuotaConfig.OFF);
}
