// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.ServerProfile;
import java.util.HashSet;
import java.util.Set;

/**
 * A filter compiled for evaluation over many entries.
 *
 * <p>Threading: immutable.
 */
public final class FilterProgram {
  private final Node root;
  private final Set<Octets> attributes;
  private final boolean untrackable;

  private FilterProgram(Node root, Set<Octets> attributes, FilterCompiler compiler) {
    this.root = root;
    this.attributes = attributes;
    untrackable = compiler.namesUnreported() || root instanceof Node.Unknown;
  }

  public static FilterProgram of(FilterNode filter, ServerProfile profile) {
    Set<Octets> attributes = new HashSet<>();
    FilterCompiler compiler = new FilterCompiler(profile, attributes);
    Node root = compiler.compile(filter);
    int octets = attributes.stream().mapToInt(Octets::length).sum();
    return new FilterProgram(root, profile.shared(Set.copyOf(attributes), octets), compiler);
  }

  /** Returns the value of the filter for an entry, as the directory evaluates it. */
  public Truth test(Image image) {
    return root.test(image);
  }

  /**
   * True if the filter is UNKNOWN for every entry, or evaluates values that change without being
   * reported by a feed.
   */
  public boolean isUntrackable() {
    return untrackable;
  }

  /** Returns the keys of the types that the filter names. */
  public Set<Octets> attributes() {
    return attributes;
  }

  CoveringKeys cover(CoveringKeys.LookupCost cost) {
    return root.cover(cost);
  }
}
