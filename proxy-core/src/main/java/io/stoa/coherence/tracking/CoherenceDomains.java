// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.operation.Operation;
import io.stoa.operation.OwnChange;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the naming contexts with a change feed.
 *
 * <p>Threading: thread-safe.
 */
public interface CoherenceDomains {
  /** No naming context has a feed. */
  CoherenceDomains NONE =
      new CoherenceDomains() {
        @Override
        public @Nullable FeedCoverage coverageOf(Operation read) {
          return null;
        }

        @Override
        public @Nullable FeedCoverage coverageOf(byte[] entry) {
          return null;
        }

        @Override
        public Collection<FeedCoverage> writtenBy(OwnChange change) {
          return List.of();
        }

        @Override
        public Collection<FeedCoverage> all() {
          return List.of();
        }

        @Override
        public long rightsChanges() {
          return 0;
        }
      };

  /**
   * Returns the naming context that contains everything a search or compare is about; null if there
   * is no feed for all of it.
   */
  @Nullable FeedCoverage coverageOf(Operation read);

  /** Returns the naming context of an entry by its DN; null if there is no feed for it. */
  @Nullable FeedCoverage coverageOf(byte[] entry);

  /**
   * Returns the naming contexts of every directory that may have executed a write, whatever its
   * entry is.
   */
  Collection<FeedCoverage> writtenBy(OwnChange change);

  /** Returns all naming contexts with a feed. */
  Collection<FeedCoverage> all();

  /**
   * Returns how many times rights may have changed, also in naming contexts whose feed has ended.
   * The number returns to no earlier value.
   */
  long rightsChanges();
}
