// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

/**
 * Kinds of directory servers. The kind decides how much may be folded.
 *
 * <p>Threading: immutable.
 */
public enum ServerKind {
  /** slapd: all folding was verified against slapd 2.5. */
  OPENLDAP,

  /**
   * 389 Directory Server; verified against 2.3. Repeats attribute names as the client spelled them,
   * and, for a missing entry, the DN of its nearest ancestor.
   */
  DS389,

  /** Another directory, whose root DSE was read. */
  OTHER,

  /** Nothing has been read yet. */
  UNKNOWN;

  /** Returns the kind of which both directories are. */
  ServerKind and(ServerKind other) {
    boolean unknown = this == UNKNOWN || other == UNKNOWN;
    return this == other ? this : unknown ? UNKNOWN : OTHER;
  }
}
