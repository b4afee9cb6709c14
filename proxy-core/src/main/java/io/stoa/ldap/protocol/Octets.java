// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An octet string that can be a hash key. Its hash is keyed with random numbers of this process, so
 * that nobody outside can choose octets that collide; equality always compares the octets. The
 * order in which a hash table hands them out differs from process to process, unless the system
 * property {@value #HASH_SEED} says of which number the key is made: for tests, so that what they
 * do can be done again.
 *
 * <p>Immutable, as long as nobody modifies the array that it was made of.
 */
public final class Octets implements Comparable<Octets> {
  public static final Octets EMPTY = new Octets(new byte[0]);

  /** A number; nobody who serves strangers should set it. */
  static final String HASH_SEED = "stoa.hashSeed";

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long SEED;
  private static final long FIRST_KEY;
  private static final long LAST_KEY;

  static {
    Long chosen = Long.getLong(HASH_SEED);
    LongSupplier random =
        chosen == null ? new SecureRandom()::nextLong : new SplittableRandom(chosen)::nextLong;
    SEED = random.getAsLong();
    FIRST_KEY = random.getAsLong();
    LAST_KEY = random.getAsLong() | 1;
  }

  private final byte[] array;

  /** Zero until first asked for. Threads that race compute the same number. */
  private int hash;

  private Octets(byte[] array) {
    this.array = array;
  }

  /** Takes over the array: the caller must not modify it any more. */
  public static Octets of(byte[] owned) {
    return owned.length == 0 ? EMPTY : new Octets(owned);
  }

  public static Octets ofUtf8(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The octets themselves, not a copy: they must not be modified. */
  public byte[] array() {
    return array;
  }

  public int length() {
    return array.length;
  }

  /** Whether these are the first octets here. */
  public boolean beginsWith(Octets first) {
    byte[] prefix = first.array;
    return array.length >= prefix.length
        && Arrays.equals(array, 0, prefix.length, prefix, 0, prefix.length);
  }

  /** Unsigned lexicographic order. */
  @Override
  public int compareTo(Octets other) {
    return Arrays.compareUnsigned(array, other.array);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other || (other instanceof Octets that && Arrays.equals(array, that.array));
  }

  @Override
  public int hashCode() {
    int known = hash;
    if (known == 0) {
      known = hash(array);
      hash = known;
    }
    return known;
  }

  /** The length only: octets may be secret. */
  @Override
  public String toString() {
    return "Octets[" + array.length + "]";
  }

  /** Never zero, which stands for "not computed yet". */
  private static int hash(byte[] octets) {
    long state = SEED;
    int index = 0;
    for (; index <= octets.length - 2 * Long.BYTES; index += 2 * Long.BYTES) {
      state = mix(word(octets, index) ^ FIRST_KEY, word(octets, index + Long.BYTES) ^ state);
    }
    if (index <= octets.length - Long.BYTES) {
      state = mix(word(octets, index) ^ FIRST_KEY, state);
      index += Long.BYTES;
    }
    // The length makes up for the zeros that fill the last word.
    state = mix(tail(octets, index) ^ FIRST_KEY ^ octets.length, state ^ LAST_KEY);
    return Math.max(1, (int) (mix(state, LAST_KEY) >>> (Long.SIZE - Integer.SIZE + 1)));
  }

  private static long word(byte[] octets, int index) {
    return (long) LONG.get(octets, index);
  }

  /** The last zero to seven octets. */
  private static long tail(byte[] octets, int from) {
    int bits = (octets.length - from) * Byte.SIZE;
    if (bits > 0 && from > 0) {
      return word(octets, octets.length - Long.BYTES) >>> (Long.SIZE - bits);
    }
    long value = 0;
    for (int index = octets.length - 1; index >= from; index--) {
      value = value << Byte.SIZE | (octets[index] & 0xFF);
    }
    return value;
  }

  /** The 128-bit product folded onto itself: every bit of both reaches every bit. */
  private static long mix(long left, long right) {
    return left * right ^ Math.multiplyHigh(left, right);
  }
}
