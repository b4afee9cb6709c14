// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Returns one object for equal immutable objects, so that each is kept once. The table has a fixed
 * number of slots, 4,096. Of two objects with the same slot the later one replaces the earlier one,
 * which only costs memory.
 *
 * <p>Octets: 16,432, and those of up to {@value #SLOTS} objects that nothing else may need any
 * more. Clients choose many of the objects, so large ones are not kept.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The result equals the value, and has its class.
 *   <li>Equal objects may exist twice, so callers never compare by reference.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class Interner {
  private static final int SLOTS = 4096;
  private static final int SPREAD = 0x9E3779B9;

  private final AtomicReferenceArray<Object> interned = new AtomicReferenceArray<>(SLOTS);
  private final int maxOctets;

  /**
   * Creates an empty table.
   *
   * @param maxOctets maximum size of an object that is kept
   */
  public Interner(int maxOctets) {
    this.maxOctets = maxOctets;
  }

  /**
   * Returns the known object of the same class that equals the value, or else the value.
   *
   * @param octets estimated memory of the value; a large value is returned as it is
   */
  @SuppressWarnings("unchecked") // both have the same class
  public <T> T intern(T value, int octets) {
    if (octets > maxOctets) {
      return value;
    }
    int slot =
        (value.hashCode() * SPREAD) >>> (Integer.SIZE - Integer.numberOfTrailingZeros(SLOTS));
    Object earlier = interned.get(slot);
    if (earlier != null && earlier.getClass() == value.getClass() && earlier.equals(value)) {
      return (T) earlier;
    }
    interned.set(slot, value);
    return value;
  }
}
