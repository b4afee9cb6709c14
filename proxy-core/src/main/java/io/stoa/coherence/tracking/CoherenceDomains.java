// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.Operation;
import io.stoa.operation.OwnChange;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Of which parts of the tree feeds tell. Thread-safe. */
public interface CoherenceDomains {
  /** There is no feed. */
  CoherenceDomains NONE =
      new CoherenceDomains() {
        @Override
        public @Nullable FeedCoverage of(Operation read) {
          return null;
        }

        @Override
        public @Nullable FeedCoverage of(byte[] entry) {
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
      };

  /**
   * Where all lies that a search or compare is about; null if no feed tells of all of it.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  @Nullable FeedCoverage of(Operation read) throws LdapProtocolException;

  /** Where an entry lies, by its DN; null if no feed tells of it. */
  @Nullable FeedCoverage of(byte[] entry);

  /** The grounds of every directory that may have done a write, whatever its entry is. */
  Collection<FeedCoverage> writtenBy(OwnChange change);

  /** All of them. */
  Collection<FeedCoverage> all();
}
