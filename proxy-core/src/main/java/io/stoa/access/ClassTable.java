// SPDX-License-Identifier: Apache-2.0
package io.stoa.access;

import io.stoa.ldap.Octets;
import io.stoa.memory.BoundedCache;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The access-class cache: identity to access class, which is what the caches are kept apart by.
 * Each identity is a class of its own. An identity that was forgotten gets a class that nobody ever
 * had, so nothing that was stored for it before is found again. Anonymous clients need no place.
 * Thread-safe.
 */
public final class ClassTable {
  private static final int OVERHEAD = 240;

  /** The numbers of classes begin with 1. */
  private static final AccessClass NOBODY = AccessClass.own(Octets.of(new byte[Long.BYTES]));

  private static final AccessClass ANONYMOUS = AccessClass.own(Octets.EMPTY);

  private final BoundedCache<Octets, AccessClass> classes;
  private final AtomicLong last = new AtomicLong();
  private volatile boolean enabled;

  /** Makes an empty table. */
  public ClassTable(Bounds bounds) {
    this.classes =
        new BoundedCache<>(
            bounds.entries(),
            bounds.octets(),
            (identity, accessClass) -> OVERHEAD + identity.length());
    this.enabled = bounds.enabled();
  }

  /**
   * How much the table may hold. Immutable.
   *
   * @param enabled whether anything is stored for clients that have bound
   * @param entries most identities
   * @param octets most memory
   */
  public record Bounds(boolean enabled, int entries, long octets) {}

  /** From now on these bounds hold. */
  public void bounds(Bounds bounds) {
    classes.bounds(bounds.entries(), bounds.octets());
    enabled = bounds.enabled();
  }

  /** The class of an identity; null if nothing is stored for it. */
  public @Nullable AccessClass of(Octets identity) {
    if (identity.length() == 0) {
      return ANONYMOUS;
    }
    if (!enabled) {
      return null;
    }
    AccessClass known = classes.get(identity);
    return known == null
        ? classes.compute(identity, (key, old) -> old == null ? next() : old)
        : known;
  }

  /** The same, without making or using one: a class that nobody has if there is none. */
  public @Nullable AccessClass peek(Octets identity) {
    if (identity.length() == 0) {
      return ANONYMOUS;
    }
    AccessClass known = classes.peek(identity);
    return enabled ? Objects.requireNonNullElse(known, NOBODY) : null;
  }

  /**
   * Forgets identities.
   *
   * @return the partitions that they had
   */
  public Set<Octets> forget(Predicate<Octets> identities) {
    Set<Octets> forgotten = new HashSet<>();
    classes.drop(
        (identity, known) -> identities.test(identity) && forgotten.add(known.partition()));
    return forgotten;
  }

  private AccessClass next() {
    byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(last.incrementAndGet()).array();
    return AccessClass.own(Octets.of(number));
  }

  /** Whether anything is stored for clients that have bound. */
  public boolean enabled() {
    return enabled;
  }

  /** Most identities. */
  public int maxEntries() {
    return classes.maxEntries();
  }

  /** Identities for which something may be stored now. */
  public long count() {
    return classes.count();
  }
}
