// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Returns one object for equal immutable objects, so that each is kept once. The table has a fixed
 * number of slots. Of two objects with the same slot the later one replaces the earlier one, which
 * only costs memory.
 *
 * <p>Octets: 48, 4 for each slot, and those of one object for each slot that nothing else may need
 * any more. Clients choose many of the objects, so large ones are not kept.
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
  private static final int SPREAD = 0x9E3779B9;

  private final AtomicReferenceArray<Object> interned;
  private final int maxOctets;

  /**
   * Creates an empty table.
   *
   * @param slots number of slots, a power of two from 2 on
   * @param maxOctets maximum size of an object that is kept
   */
  public Interner(int slots, int maxOctets) {
    this.interned = new AtomicReferenceArray<>(slots);
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
    int bits = Integer.numberOfTrailingZeros(interned.length());
    int slot = (value.hashCode() * SPREAD) >>> (Integer.SIZE - bits);
    Object earlier = interned.get(slot);
    if (earlier != null && earlier.getClass() == value.getClass() && earlier.equals(value)) {
      return (T) earlier;
    }
    interned.set(slot, value);
    return value;
  }

  /** Forgets all objects. */
  public void clear() {
    for (int slot = 0; slot < interned.length(); slot++) {
      interned.set(slot, null);
    }
  }
}
