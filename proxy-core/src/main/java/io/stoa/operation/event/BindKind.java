// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.event;

/** Kind of a bind request (RFC 4513, section 5). */
public enum BindKind {
  /** Without name and password. */
  ANONYMOUS,
  /** With a name, and without a password. */
  UNAUTHENTICATED,
  /** With name and password. */
  SIMPLE,
  /** By a SASL mechanism. */
  SASL
}
