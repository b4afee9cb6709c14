// SPDX-License-Identifier: Apache-2.0
package io.stoa.derive;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stoa.filter.Image;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.SearchEntry.AttributeOctets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What has nothing below it. Stateless. */
final class Leaves {
  private static final String HAS_SUBORDINATES = "hasSubordinates";

  private Leaves() {}

  /** Whether the server says so. */
  static boolean isLeaf(@Nullable Image image) {
    return image != null && image.entry().attributes().stream().anyMatch(Leaves::saysSo);
  }

  private static boolean saysSo(AttributeOctets attribute) {
    if (!new String(attribute.type(), ISO_8859_1).equalsIgnoreCase(HAS_SUBORDINATES)) {
      return false;
    }
    try {
      List<byte[]> values = attribute.values();
      return values.size() == 1 && new String(values.get(0), ISO_8859_1).equals("FALSE");
    } catch (LdapProtocolException e) {
      return false;
    }
  }
}
