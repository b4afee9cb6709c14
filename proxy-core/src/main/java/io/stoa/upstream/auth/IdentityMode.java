// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

/**
 * Identity of upstream connections.
 *
 * <p>Threading: immutable.
 */
public enum IdentityMode {
  /** The client's own identity, bound with the client's credentials. */
  PASS_THROUGH,
  /** The service account; each request names its client (RFC 4370). */
  PROXIED
}
