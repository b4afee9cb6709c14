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
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ReadSource;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A naming context with a change feed, as one event loop sees it: the domain, and the rules by
 * which names and filters are read there.
 *
 * <p>Threading: immutable, except for the domain.
 *
 * @param loop the event loop for timers, independent of the domain's thread
 * @param derived tells which results change with other entries than those that they show
 * @param watermark the watermark before which reads do not count
 * @param aliasFree true if there is no alias in the naming context now
 * @param contained true if it is known which other entries and rights a write may change
 * @param onlyServer the server that answers all reads, if there is just one; else null
 */
public record FeedCoverage(
    CoherenceDomain domain,
    EventExecutor loop,
    ServerProfile profile,
    DerivedAttributes derived,
    RightsWatermark watermark,
    BooleanSupplier aliasFree,
    BooleanSupplier contained,
    @Nullable Object onlyServer) {
  /** Returns a name as the directory compares it. */
  public NormalDn name(byte[] dn) {
    return NormalDn.of(dn, profile);
  }

  /**
   * True if a search that follows aliases finds the same as one that does not. This holds while
   * {@link DerivedData#ALIASES} count, on a server that {@link RightsWatermark#admits} accepts.
   */
  boolean hasNoAlias() {
    return aliasFree.getAsBoolean();
  }

  /**
   * True if a write changes only its own entry and what {@link
   * io.stoa.coherence.rights.ChangeRules} conclude. An unknown overlay or plugin may change more.
   */
  boolean isContained() {
    return contained.getAsBoolean();
  }

  /**
   * Returns the server that has answered, as it was at each of its reads; null if it is not known,
   * or if several servers had a part in the answer.
   */
  @Nullable ReadSource source(List<ReadSource> sources) {
    if (!sources.isEmpty()) {
      Object server = sources.get(0).server();
      return sources.stream().allMatch(one -> one.server() == server)
          ? sources.stream().reduce(ReadSource::merge).orElseThrow()
          : null;
    }
    return onlyServer == null ? null : new ReadSource(onlyServer, Position.NONE, 0, 0);
  }

  Query query(SearchOp search, boolean manageDsaIt) {
    return Query.of(search, manageDsaIt, profile);
  }
}
