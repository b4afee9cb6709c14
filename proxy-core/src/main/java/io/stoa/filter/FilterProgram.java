// SPDX-License-Identifier: Apache-2.0
package io.stoa.filter;

import io.stoa.ldap.FilterNode;
import io.stoa.ldap.Octets;
import io.stoa.match.ServerProfile;
import java.util.HashSet;
import java.util.Set;

/** A filter made ready to be evaluated over many entries. Immutable. */
public final class FilterProgram {
  private final Node root;
  private final Set<Octets> attributes;
  private final boolean neverKnown;

  private FilterProgram(Node root, Set<Octets> attributes, boolean hidden) {
    this.root = root;
    this.attributes = attributes;
    neverKnown = hidden || root instanceof Node.Unknown;
  }

  public static FilterProgram of(FilterNode filter, ServerProfile profile, SchemaRules rules) {
    Set<Octets> attributes = new HashSet<>();
    FilterCompiler compiler = new FilterCompiler(profile, rules, attributes);
    Node root = compiler.compile(filter);
    return new FilterProgram(root, Set.copyOf(attributes), compiler.namesHidden());
  }

  /** What the directory takes the filter for, of this entry. */
  public Truth test(Image image) {
    return root.test(image);
  }

  /** Whether it is UNKNOWN whatever the entry is, or asks for what changes without being told. */
  public boolean neverKnown() {
    return neverKnown;
  }

  /** Keys of the types that it names. */
  public Set<Octets> attributes() {
    return attributes;
  }

  Cover cover(Load load) {
    return root.cover(load);
  }
}
