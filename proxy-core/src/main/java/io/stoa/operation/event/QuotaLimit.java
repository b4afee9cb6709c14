// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.event;

/** A limit of one client network, or of one identity. */
public enum QuotaLimit {
  NETWORK_CONNECTIONS("limits.network.connections"),
  NETWORK_OPERATIONS_IN_FLIGHT("limits.network.operationsInFlight"),
  NETWORK_OPERATIONS_PER_SECOND("limits.network.operationsPerSecond"),
  NETWORK_FAILED_BINDS("limits.network.failedBinds"),
  IDENTITY_CONNECTIONS("limits.identity.connections"),
  IDENTITY_OPERATIONS_IN_FLIGHT("limits.identity.operationsInFlight"),
  IDENTITY_OPERATIONS_PER_SECOND("limits.identity.operationsPerSecond"),
  IDENTITY_FAILED_BINDS("limits.identity.failedBinds");

  private final String key;

  QuotaLimit(String key) {
    this.key = key;
  }

  /** Returns the key of the configuration. */
  public String key() {
    return key;
  }

  /** True if it is a limit of a network, false if of an identity. */
  public boolean isOfNetwork() {
    return compareTo(IDENTITY_CONNECTIONS) < 0;
  }
}
