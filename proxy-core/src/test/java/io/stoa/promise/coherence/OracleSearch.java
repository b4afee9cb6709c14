// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A search whose answer is known: it asks for all that are in its scope, or for those with one
 * value. Immutable.
 *
 * @param identity who asks; empty if nobody has bound
 * @param scope as LDAP counts them
 * @param attribute by which it finds; empty if it finds all
 * @param shown the attributes that it asks for
 */
record OracleSearch(
    String identity, String base, int scope, String attribute, String value, List<String> shown) {
  private static final List<String> STORED =
      List.of("employeeNumber", "l", "member", "telephoneNumber");

  /** What overlay memberof adds to those whom a group names. */
  static final String DERIVED = "memberOf";

  /** Of what somebody has written. */
  static OracleSearch of(String identity, String base, int scope, String attribute, String value) {
    return new OracleSearch(identity, base, scope, attribute, value, STORED);
  }

  /** The same, and what follows from other entries. */
  OracleSearch derived() {
    List<String> all = new ArrayList<>(STORED);
    all.add(DERIVED);
    return new OracleSearch(identity, base, scope, attribute, value, List.copyOf(all));
  }

  String filter() {
    return attribute.isEmpty() ? "(objectClass=*)" : "(" + attribute + "=" + value + ")";
  }

  boolean finds(String dn, Map<String, String> attributes) {
    return holds(dn)
        && (attribute.isEmpty()
            || List.of(attributes.getOrDefault(attribute, "").split("[|]", -1)).contains(value));
  }

  /** Whether an entry is where it is looked for. */
  boolean holds(String dn) {
    return switch (scope) {
      case 0 -> dn.equals(base);
      case 1 -> dn.endsWith("," + base) && dn.indexOf(',') == dn.length() - base.length() - 1;
      default -> dn.equals(base) || dn.endsWith("," + base);
    };
  }

  @Override
  public String toString() {
    return "search %s %d %s".formatted(base, scope, filter());
  }
}
