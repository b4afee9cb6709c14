// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.Operation;
import io.stoa.operation.OwnChange;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Of which parts of the tree feeds tell. Thread-safe. */
public interface Realms {
  /** There is no feed. */
  Realms NONE =
      new Realms() {
        @Override
        public @Nullable Ground of(Operation read) {
          return null;
        }

        @Override
        public @Nullable Ground of(byte[] entry) {
          return null;
        }

        @Override
        public Collection<Ground> writtenBy(OwnChange change) {
          return List.of();
        }

        @Override
        public Collection<Ground> all() {
          return List.of();
        }
      };

  /**
   * Where all lies that a search or compare is about; null if no feed tells of all of it.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  @Nullable Ground of(Operation read) throws LdapProtocolException;

  /** Where an entry lies, by its DN; null if no feed tells of it. */
  @Nullable Ground of(byte[] entry);

  /** The grounds of every directory that may have done a write, whatever its entry is. */
  Collection<Ground> writtenBy(OwnChange change);

  /** All of them. */
  Collection<Ground> all();
}
