// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A search. Immutable.
 *
 * @param identity who asks; empty if nobody has bound
 * @param scope as LDAP counts them
 * @param attributes what is to be shown; all if there are none
 */
record SimSearch(String identity, String base, int scope, String filter, List<String> attributes) {
  private static final int BASE = 0;
  private static final int ONE_LEVEL = 1;

  RawRequest request() {
    return Requests.search(base)
        .scope(scope)
        .filter(filter)
        .attributes(attributes.toArray(String[]::new))
        .request();
  }

  Filter compiled() {
    try {
      return Filter.create(filter);
    } catch (LDAPException e) {
      throw new AssertionError("the filter " + filter + " cannot be read", e);
    }
  }

  /** The entries that are where they are looked for. */
  List<Entry> candidates(SimTree tree) {
    if (scope == BASE) {
      Entry entry = tree.get(base);
      return entry == null ? List.of() : List.of(entry);
    }
    return tree.entries().values().stream().filter(one -> holds(one.getDN())).toList();
  }

  private boolean holds(String dn) {
    return switch (scope) {
      case ONE_LEVEL ->
          dn.endsWith("," + base) && dn.indexOf(',') == dn.length() - base.length() - 1;
      default -> dn.equals(base) || dn.endsWith("," + base);
    };
  }

  /** What of a visible entry is shown: the octets of the response. */
  String shown(Entry visible) {
    List<Attribute> wanted =
        visible.getAttributes().stream()
            .filter(one -> attributes.isEmpty() || attributes.contains(one.getName()))
            .toList();
    byte[] op = Responses.entry(new Entry(visible.getDN(), wanted)).op();
    return new String(op, StandardCharsets.ISO_8859_1);
  }

  @Override
  public String toString() {
    return "search %s %d %s %s".formatted(base, scope, filter, attributes);
  }
}
