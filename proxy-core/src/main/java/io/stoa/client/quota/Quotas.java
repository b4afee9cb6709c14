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
}
