// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.SchemaRules;
import io.stoa.ldap.schema.ServerProfile;
import java.util.Set;

/** Which entries a search asks for, whoever asks, and whatever of them it wants. Immutable. */
public final class Query {
  /** A base with more names above it is not followed: whoever asks must not choose how many. */
  private static final int DEEPEST = 100;

  private final Scope scope;
  private final FilterProgram filter;
  private final boolean manageDsaIt;
  private final boolean derefs;

  private Query(Scope scope, FilterProgram filter, boolean manageDsaIt, boolean derefs) {
    this.scope = scope;
    this.filter = filter;
    this.manageDsaIt = manageDsaIt;
    this.derefs = derefs;
  }

  /**
   * @param manageDsaIt whether the request has the control (RFC 3296) that makes referrals entries
   */
  public static Query of(
      SearchOp op, boolean manageDsaIt, ServerProfile profile, SchemaRules rules) {
    return new Query(
        new Scope(NormalDn.of(op.base(), profile), op.scope()),
        FilterProgram.of(op.filter(), profile, rules),
        manageDsaIt,
        op.followsAliases());
  }

  /** What it finds where there is no alias. */
  public Query withoutAliases() {
    return derefs ? new Query(scope, filter, manageDsaIt, false) : this;
  }

  public NormalDn base() {
    return scope.base();
  }

  /** 0 is the base only, 1 what is directly below it, 2 the whole subtree. */
  public int scope() {
    return scope.scope();
  }

  /** The place at or below which, beyond doubt, everything is that the search may return. */
  public Octets place() {
    return derefs ? Octets.EMPTY : base().place(base().sureDepth());
  }

  /** Whether an entry of that name is where the search looks, aliases aside. */
  public Truth inScope(NormalDn dn) {
    return derefs ? Truth.UNKNOWN : scope.test(dn);
  }

  /** Whether the directory returns the entry. */
  public Truth matches(Image image) {
    Truth place = inScope(image.dn());
    if (place == Truth.FALSE) {
      return Truth.FALSE;
    }
    boolean special = image.isSpecial() && !manageDsaIt;
    return special ? Truth.UNKNOWN : place.and(filter.test(image));
  }

  /**
   * Whether no change can be told apart from others, or some are not told at all: the filter is
   * UNKNOWN whatever the entry is, it asks for what the directory computes of anything but groups,
   * or aliases lead anywhere. Nor is it followed what happens to all the names above a base with
   * more of them than any directory has. Nothing that rests on changes may be kept for such a
   * query.
   */
  public boolean neverKnown() {
    return derefs
        || scope.scope() > Scope.SUBTREE
        || scope.base().depth() > DEEPEST
        || filter.neverKnown();
  }

  /**
   * Keys of the attribute types that the filter names (as of {@link SchemaRules#typeKey}); their
   * subtypes decide as well.
   */
  public Set<Octets> attributes() {
    return filter.attributes();
  }

  /**
   * Whether a change of these attributes may make a match of what was none, or the other way round,
   * in an entry that keeps its name.
   */
  public boolean mayFlip(Delta delta) {
    return filter.mayFlip(delta);
  }

  /** Whether the filter names no attribute type twice. */
  public boolean namesEachOnce() {
    return filter.namesEachOnce();
  }

  /** What to look for in an entry to find this query, as cheaply as {@code load} says. */
  public CoveringKeys cover(CoveringKeys.Load load) {
    return filter.cover(load);
  }

  /** Whether a referral is to this search an entry like any other. */
  public boolean managesDsaIt() {
    return manageDsaIt;
  }
}
