// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A search. Immutable.
 *
 * @param identity who asks; empty if nobody has bound
 * @param scope as LDAP counts them
 * @param attributes what is to be shown; all but operational ones if there are none
 */
record SimSearch(String identity, String base, int scope, String filter, List<String> attributes)
    implements SimRequest {
  private static final int BASE = 0;
  private static final int ONE_LEVEL = 1;

  /** What clients ask is drawn from a few thousand, and encoded once for all histories. */
  private static final Map<SimSearch, RawRequest> REQUESTS = new ConcurrentHashMap<>();

  private static final Set<String> OPERATIONAL =
      Set.of(SimGroups.MEMBER_OF, SimTree.UUID, SimTree.CSN);

  @Override
  public boolean derives() {
    return attributes.contains(SimGroups.MEMBER_OF)
        || attributes.contains("+")
        || filter.contains(SimGroups.MEMBER_OF);
  }

  @Override
  public RawRequest request() {
    RawRequest known = REQUESTS.get(this); // which does not lock
    return known == null ? REQUESTS.computeIfAbsent(this, SimSearch::encoded) : known;
  }

  private RawRequest encoded() {
    return Requests.search(base)
        .scope(scope)
        .filter(filter)
        .attributes(attributes.toArray(String[]::new))
        .request();
  }

  /** Whether an entry is where it is looked for. */
  boolean holds(String dn) {
    return switch (scope) {
      case BASE -> dn.equals(base);
      case ONE_LEVEL ->
          dn.endsWith("," + base) && dn.indexOf(',') == dn.length() - base.length() - 1;
      default -> dn.equals(base) || dn.endsWith("," + base);
    };
  }

  boolean ofOneEntry() {
    return scope == BASE;
  }

  /** What of a visible entry is shown: the octets of the response. */
  String shown(Entry visible) {
    List<Attribute> wanted = new ArrayList<>();
    for (Attribute one : visible.getAttributes()) {
      if (shows(one.getName())) {
        wanted.add(one);
      }
    }
    byte[] op = Responses.entry(new Entry(visible.getDN(), wanted)).op();
    return new String(op, StandardCharsets.ISO_8859_1);
  }

  private boolean shows(String attribute) {
    boolean all = attributes.isEmpty() || attributes.contains("*");
    return attributes.contains(attribute)
        || (OPERATIONAL.contains(attribute) ? attributes.contains("+") : all);
  }

  @Override
  public String toString() {
    return "search %s %d %s %s".formatted(base, scope, filter, attributes);
  }
}
