// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

/** How Stoa binds as its service account. Immutable. */
public enum ServiceMechanism {
  /** With a name and a password. */
  SIMPLE,
  /** By SASL EXTERNAL: as the peer that the server sees, by client certificate or local socket. */
  EXTERNAL
}
