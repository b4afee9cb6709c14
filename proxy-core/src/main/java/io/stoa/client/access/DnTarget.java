// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;

/**
 * An entry that an operation names, and how far below it the operation reaches.
 *
 * <p>Threading: immutable.
 *
 * @param text the name as sent; empty if it was computed
 * @param name the same in normal form
 * @param reach number of levels below the entry that the operation may affect
 */
record DnTarget(String text, NormalDn name, int reach) {
  static final int ENTRY = 0;
  static final int CHILDREN = 1;
  static final int SUBTREE = Integer.MAX_VALUE;

  static DnTarget of(byte[] dn, int reach, ServerProfile profile) {
    return new DnTarget(new String(dn, UTF_8).strip(), NormalDn.of(dn, profile), reach);
  }
}
