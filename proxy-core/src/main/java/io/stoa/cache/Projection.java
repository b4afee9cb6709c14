// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.SearchEntry;
import io.stoa.match.AttributeSelection;
import java.util.List;

/** Cuts a stored entry down to a narrower selection that its own covers. */
final class Projection {
  private Projection() {}

  static byte[] of(EntryRead read, AttributeSelection selection) {
    if (read.selection().equals(selection)) {
      return read.op();
    }
    try {
      SearchEntry entry = SearchEntry.parse(read.op());
      List<byte[]> kept =
          entry.attributes().stream()
              .filter(attribute -> selection.selects(attribute.type()))
              .map(SearchEntry.AttributeOctets::encoded)
              .toList();
      return SearchEntry.encode(entry.dn(), kept);
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("an entry is checked before it is stored", e);
    }
  }
}
