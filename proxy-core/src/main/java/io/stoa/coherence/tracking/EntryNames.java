// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Computes the DN of an entry after a rename (RFC 4511, section 4.9). Threading: stateless. */
final class EntryNames {
  private EntryNames() {}

  /** Returns the new DN; null if the entry has no parent and gets none. */
  static byte @Nullable [] renamed(byte[] entry, ModifyDnOp rename) {
    byte[] superior = rename.newSuperior() == null ? parent(entry) : rename.newSuperior();
    if (superior == null) {
      return null;
    }
    ByteArrayOutputStream name = new ByteArrayOutputStream();
    name.writeBytes(rename.newRdn());
    if (superior.length > 0) {
      name.write(',');
      name.writeBytes(superior);
    }
    return name.toByteArray();
  }

  /**
   * Returns the part after the first separator that is neither escaped nor quoted (RFC 4514, RFC
   * 1779).
   */
  private static byte @Nullable [] parent(byte[] dn) {
    boolean quoted = false;
    for (int i = 0; i < dn.length; i++) {
      switch (dn[i]) {
        case '\\' -> i++;
        case '"' -> quoted = !quoted;
        case ',', ';' -> {
          if (!quoted) {
            return Arrays.copyOfRange(dn, i + 1, dn.length);
          }
        }
        default -> {
          // a part of the RDN
        }
      }
    }
    return null;
  }
}
