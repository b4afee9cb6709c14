// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.Schema;
import io.stoa.ldap.schema.ServerProfile;
import java.util.Set;

/**
 * The set of entries that a search selects, independent of the client and of the attribute list.
 *
 * <p>Octets: 24, and those of the filter. Queries of one base share it, see {@link
 * ServerProfile#shared}.
 *
 * <p>Threading: immutable.
 */
public final class Query {
  /**
   * Maximum number of RDNs of a base whose ancestors are tracked: 100. A client must not choose the
   * cost of tracking.
   */
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
   * Creates a query.
   *
   * @param manageDsaIt true if the request has the ManageDsaIT control (RFC 3296), which makes
   *     referrals ordinary entries
   */
  public static Query of(SearchOp op, boolean manageDsaIt, ServerProfile profile) {
    NormalDn base = NormalDn.of(op.base(), profile);
    return new Query(
        profile.shared(new Scope(base, op.scope()), base.octets().length()),
        FilterProgram.of(op.filter(), profile),
        manageDsaIt,
        op.followsAliases());
  }

  /** Returns the same query without dereferencing of aliases. */
  public Query withoutAliases() {
    return derefs ? new Query(scope, filter, manageDsaIt, false) : this;
  }

  public NormalDn base() {
    return scope.base();
  }

  /**
   * Returns the scope: 0 for the base, 1 for entries directly below it, 2 for the whole subtree.
   */
  public int scope() {
    return scope.scope();
  }

  /** Returns a position in the tree that certainly contains all entries of the response. */
  public Octets treePosition() {
    return derefs ? Octets.EMPTY : base().treePosition(base().sureDepth());
  }

  /** Returns TRUE if a DN is within base and scope; UNKNOWN if the search dereferences aliases. */
  public Truth inScope(NormalDn dn) {
    return derefs ? Truth.UNKNOWN : scope.test(dn);
  }

  /** Returns TRUE if the directory returns the entry. */
  public Truth matches(Image image) {
    Truth scopeMatch = inScope(image.dn());
    if (scopeMatch == Truth.FALSE) {
      return Truth.FALSE;
    }
    boolean special = image.isSpecial() && !manageDsaIt;
    return special ? Truth.UNKNOWN : scopeMatch.and(filter.test(image));
  }

  /**
   * True if a feed cannot prove that the response is unchanged. No result of such a query may be
   * held by a feed.
   *
   * <ul>
   *   <li>The filter is UNKNOWN for every entry.
   *   <li>The filter evaluates an attribute that the directory computes from anything but groups.
   *   <li>The search dereferences aliases, or its scope is unknown.
   *   <li>The base has more than {@link #DEEPEST} RDNs, so that its ancestors are not tracked.
   * </ul>
   */
  public boolean isUntrackable() {
    return derefs
        || scope.scope() > Scope.SUBTREE
        || scope.base().depth() > DEEPEST
        || filter.isUntrackable();
  }

  /**
   * Returns the keys of the attribute types that the filter names (as of {@link Schema#typeKey}).
   * Their subtypes affect the result, too.
   */
  public Set<Octets> attributes() {
    return filter.attributes();
  }

  /**
   * Returns the keys under which to index this query, chosen for the lowest cost by {@code cost}.
   */
  public CoveringKeys cover(CoveringKeys.LookupCost cost) {
    return filter.cover(cost);
  }
}
