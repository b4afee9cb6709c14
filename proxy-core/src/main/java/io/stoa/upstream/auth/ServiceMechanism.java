// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

/**
 * Mechanism of the service account's bind.
 *
 * <p>Threading: immutable.
 */
public enum ServiceMechanism {
  /** Simple bind with name and password. */
  SIMPLE,
  /** SASL EXTERNAL: the server identifies Stoa by client certificate or Unix domain socket. */
  EXTERNAL
}
