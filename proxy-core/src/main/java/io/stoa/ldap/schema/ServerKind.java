// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

/** What kind of directory answers; decides what may be folded. Immutable. */
public enum ServerKind {
  /** slapd: everything that is folded was compared with slapd 2.5. */
  OPENLDAP,

  /**
   * 389 Directory Server. It repeats attribute names and, where an entry is missing, the DN of what
   * is above it as the client spelled them; compared with 2.3.
   */
  DS389,

  /** A directory that Stoa knows nothing of, but whose root DSE it has read. */
  OTHER,

  /** Nothing has been read yet. */
  UNKNOWN
}
