// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.ldap.protocol.Octets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The members of a group of the directory, as far as known. Members that were not read for some
 * time are unknown.
 *
 * <p>Threading: thread-safe.
 */
final class Group {
  private static final Reading NOTHING = new Reading(Set.of(), null, 0, false);

  private final String dn;
  private volatile Reading reading = NOTHING;

  Group(String dn) {
    this.dn = dn;
  }

  /**
   * The last reading of the group.
   *
   * <p>Threading: immutable.
   *
   * @param members DNs of the members in comparable form
   * @param version entryCSN of the group entry; null if the directory shows none
   * @param untilNanos time at which the reading expires
   * @param read true if the group was ever read
   */
  private record Reading(
      Set<Octets> members, @Nullable Octets version, long untilNanos, boolean read) {}

  String dn() {
    return dn;
  }

  /** True if the group was read and the reading has not expired. */
  boolean isKnown(long now) {
    Reading previous = reading;
    return previous.read() && now - previous.untilNanos() < 0;
  }

  boolean holds(Octets member) {
    return reading.members().contains(member);
  }

  /** Returns the known entryCSN of the group, or null. */
  @Nullable Octets version() {
    return reading.version();
  }

  /** Called when the group entry is unchanged. Extends the validity of the reading. */
  synchronized void extend(Octets version, long untilNanos) {
    Reading previous = reading;
    if (version.equals(previous.version())) {
      reading = new Reading(previous.members(), previous.version(), untilNanos, previous.read());
    }
  }

  /** Called when the group was read. Returns true if its members differ from before. */
  synchronized boolean update(Set<Octets> members, @Nullable Octets version, long untilNanos) {
    Reading previous = reading;
    reading = new Reading(Set.copyOf(members), version, untilNanos, true);
    return !previous.read() || !previous.members().equals(reading.members());
  }

  /** Called when the group cannot be found. Returns true if its members were known before. */
  synchronized boolean clear() {
    boolean wasRead = reading.read();
    reading = NOTHING;
    return wasRead;
  }
}
