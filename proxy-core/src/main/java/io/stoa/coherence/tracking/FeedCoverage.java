// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.coherence.invalidation.CoherenceDomain;
import io.stoa.coherence.rights.DerivedAttributes;
import io.stoa.coherence.rights.DerivedData;
import io.stoa.coherence.rights.RightsWatermark;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.SchemaRules;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ReadFrom;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A part of the tree of which a feed tells, and how names and filters are read there. Immutable,
 * but for the realm.
 *
 * @param loop where nobody waits for the realm's thread
 * @param derived which answers change with other entries than those that they show
 * @param horizon since when what was read counts
 * @param unaliased whether there is no alias there now
 * @param contained whether it is known which other entries, and whose rights, a write may change
 * @param only the server that answers all reads, if there is one only; else null
 */
public record FeedCoverage(
    CoherenceDomain realm,
    EventExecutor loop,
    ServerProfile profile,
    SchemaRules rules,
    DerivedAttributes derived,
    RightsWatermark horizon,
    BooleanSupplier unaliased,
    BooleanSupplier contained,
    @Nullable Object only) {
  /** A name as the directory compares it. */
  public NormalDn name(byte[] dn) {
    return NormalDn.of(dn, profile);
  }

  /**
   * Whether a search that follows aliases finds what one that does not would find, as long as
   * {@link DerivedData#ALIASES} count, on a server that has what {@link RightsWatermark#admits}
   * asks for.
   */
  boolean hasNoAlias() {
    return unaliased.getAsBoolean();
  }

  /**
   * Whether a write changes nothing here but its own entry and what {@link
   * io.stoa.coherence.rights.ChangeRules} conclude. Any overlay or plugin that is not known may
   * change more.
   */
  boolean isContained() {
    return contained.getAsBoolean();
  }

  /** Who has answered, as far as known; null if that is not known. */
  @Nullable ReadFrom source(List<ReadFrom> sources) {
    if (!sources.isEmpty()) {
      return sources.get(sources.size() - 1);
    }
    return only == null ? null : new ReadFrom(only, Position.NONE, 0, 0);
  }

  Query query(SearchOp search, boolean manageDsaIt) {
    return Query.of(search, manageDsaIt, profile, rules);
  }
}
