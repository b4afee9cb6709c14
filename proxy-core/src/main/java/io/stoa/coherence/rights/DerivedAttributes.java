// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.Schema;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Tells which kinds of derived data a result has, by the attributes that it names or shows.
 *
 * <p>Threading: immutable.
 */
public final class DerivedAttributes {
  private static final String ALL_USER = "*";

  /**
   * Attributes that are operational in every schema: a result with all user attributes has none of
   * them.
   */
  private static final Set<String> OPERATIONAL = Set.of("memberOf", "isMemberOf");

  private final Schema rules;
  private final Set<Octets> groups;
  private final Set<Octets> linked;
  private final Set<Octets> composed;
  private final boolean everywhere;

  private DerivedAttributes(DerivedConfig config, Schema rules) {
    this.rules = rules;
    this.groups = keys(config.groups(), rules);
    this.linked = keys(config.linked(), rules);
    this.composed = keys(config.composed(), rules);
    this.everywhere =
        config.groups().stream()
            .anyMatch(name -> OPERATIONAL.stream().noneMatch(name::equalsIgnoreCase));
  }

  /** Makes the attributes of a directory with such a schema. */
  public static DerivedAttributes of(DerivedConfig config, Schema rules) {
    return new DerivedAttributes(config, rules);
  }

  /**
   * Returns the keys of the attributes and their supertypes: a request for a supertype returns
   * them, too.
   */
  private static Set<Octets> keys(Collection<String> names, Schema rules) {
    Set<Octets> keys = new HashSet<>();
    names.forEach(name -> keys.addAll(rules.typeKeys(name.getBytes(UTF_8))));
    return Set.copyOf(keys);
  }

  /** True if the directory repairs any attribute when other entries are renamed or deleted. */
  public boolean hasLinks() {
    return !linked.isEmpty();
  }

  /** True if the directory repairs the members of groups. */
  public boolean hasMembersLinked() {
    return AccessRule.membersOfGroups().stream()
        .map(name -> rules.typeKey(name.getBytes(UTF_8)))
        .anyMatch(linked::contains);
  }

  /** Returns the kinds of derived data of any result with this list of attributes. */
  public int kindsRequested(List<byte[]> attributes) {
    boolean all = attributes.isEmpty();
    boolean named = false;
    for (byte[] attribute : attributes) {
      all |= new String(attribute, UTF_8).equals(ALL_USER);
      named |= groups.contains(rules.typeKey(attribute));
    }
    return named || (all && everywhere) ? DerivedData.GROUPS : DerivedData.NONE;
  }

  /** Returns the kinds of derived data that decide which entries the filter finds. */
  public int kindsOfFilter(Query query) {
    int kinds = meets(query, groups) ? DerivedData.GROUPS : DerivedData.NONE;
    return meets(query, linked) ? kinds | DerivedData.REFERENCES : kinds;
  }

  private static boolean meets(Query query, Set<Octets> keys) {
    return !keys.isEmpty() && !Collections.disjoint(query.attributes(), keys);
  }

  /**
   * True if the filter names an attribute that the directory composes: no change is reported when
   * an entry begins or ceases to match.
   */
  public boolean namesComposed(Query query) {
    return meets(query, composed);
  }

  /** Returns the kinds of derived data of an entry that shows this attribute. */
  public int kindsOfAttribute(byte[] attribute) {
    if (linked.isEmpty() && groups.isEmpty()) {
      return DerivedData.NONE;
    }
    Octets key = rules.typeKey(attribute);
    int kinds = groups.contains(key) ? DerivedData.GROUPS : DerivedData.NONE;
    return linked.contains(key) ? kinds | DerivedData.REFERENCES : kinds;
  }

  /** True if an entry has this attribute from an entry above. */
  public boolean isCollective(byte[] attribute) {
    return rules.isCollective(attribute);
  }
}
