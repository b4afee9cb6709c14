// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

/** As whom upstream connections are bound. Immutable. */
public enum IdentityMode {
  /** As the clients themselves, with what they bound with. */
  PASS_THROUGH,
  /** As Stoa's service account; each request names its client (RFC 4370). */
  PROXIED
}
