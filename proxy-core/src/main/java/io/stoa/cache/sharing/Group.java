// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.ldap.protocol.Octets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who belongs to a group of the directory, as far as that is known now. What has not been read for
 * some time is not known. Thread-safe.
 */
final class Group {
  private static final Known NOTHING = new Known(Set.of(), null, 0, false);

  private final String dn;
  private volatile Known known = NOTHING;

  Group(String dn) {
    this.dn = dn;
  }

  /**
   * What was read. Immutable.
   *
   * @param members in the form that is compared
   * @param version the state of the entry; null if the directory does not tell
   * @param untilNanos when it is not known any more
   * @param read whether anything was
   */
  private record Known(
      Set<Octets> members, @Nullable Octets version, long untilNanos, boolean read) {}

  String dn() {
    return dn;
  }

  /** Whether it was read, and not too long ago. */
  boolean isKnown(long now) {
    Known then = known;
    return then.read() && now - then.untilNanos() < 0;
  }

  boolean holds(Octets member) {
    return known.members().contains(member);
  }

  /** The state of the entry that is known; null if none is. */
  @Nullable Octets version() {
    return known.version();
  }

  /** The entry is in the state that was known. */
  synchronized void same(Octets version, long untilNanos) {
    Known then = known;
    if (version.equals(then.version())) {
      known = new Known(then.members(), then.version(), untilNanos, then.read());
    }
  }

  /** The entry was read; whether others belong to it than before. */
  synchronized boolean read(Set<Octets> members, @Nullable Octets version, long untilNanos) {
    Known then = known;
    known = new Known(Set.copyOf(members), version, untilNanos, true);
    return !then.read() || !then.members().equals(known.members());
  }

  /** Nothing is known of it; whether that is news. */
  synchronized boolean unknown() {
    boolean news = known.read();
    known = NOTHING;
    return news;
  }
}
