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
 * An octet string that can be a hash key.
 *
 * <p>The hash is keyed with random numbers of this process, so that clients cannot choose octets
 * that collide. Equality always compares the octets. The iteration order of a hash table therefore
 * differs between processes. For reproducible tests, the system property {@value #HASH_SEED} sets
 * the seed of the key.
 *
 * <p>Threading: immutable; the array must not be modified.
 */
public final class Octets implements Comparable<Octets> {
  public static final Octets EMPTY = new Octets(new byte[0]);

  /**
   * System property with the seed of the hash key. Must not be set in production, since the hash is
   * then predictable.
   */
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

  /** The hash; 0 until it is computed. Racing threads compute the same number. */
  private int hash;

  private Octets(byte[] array) {
    this.array = array;
  }

  /**
   * Creates octets from an array, and takes ownership of it. The caller must not modify the array.
   */
  public static Octets of(byte[] owned) {
    return owned.length == 0 ? EMPTY : new Octets(owned);
  }

  public static Octets ofUtf8(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the array itself, which must not be modified. */
  public byte[] array() {
    return array;
  }

  public int length() {
    return array.length;
  }

  /** True if the octets begin with {@code first}. */
  public boolean beginsWith(Octets first) {
    byte[] prefix = first.array;
    return array.length >= prefix.length
        && Arrays.equals(array, 0, prefix.length, prefix, 0, prefix.length);
  }

  /** Compares in unsigned lexicographic order. */
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
    int result = hash;
    if (result == 0) {
      result = hash(array);
      hash = result;
    }
    return result;
  }

  /** Returns the length only, since the octets may be secret. */
  @Override
  public String toString() {
    return "Octets[" + array.length + "]";
  }

  /** Returns the hash of an array; never 0, which means "not computed yet". */
  public static int hash(byte[] octets) {
    return hash(octets, 0, octets.length);
  }

  /** Returns the hash of {@code octets[from..to)}; never 0. */
  public static int hash(byte[] octets, int from, int to) {
    long state = SEED;
    int index = from;
    for (; index <= to - 2 * Long.BYTES; index += 2 * Long.BYTES) {
      state = mix(word(octets, index) ^ FIRST_KEY, word(octets, index + Long.BYTES) ^ state);
    }
    if (index <= to - Long.BYTES) {
      state = mix(word(octets, index) ^ FIRST_KEY, state);
      index += Long.BYTES;
    }
    long tail = index > from ? lastOctets(octets, index, to) : firstOctets(octets, index, to);
    // The length distinguishes strings that differ only in the zero padding of the last word.
    state = mix(tail ^ FIRST_KEY ^ (to - from), state ^ LAST_KEY);
    return Math.max(1, (int) (mix(state, LAST_KEY) >>> (Long.SIZE - Integer.SIZE + 1)));
  }

  private static long word(byte[] octets, int index) {
    return (long) LONG.get(octets, index);
  }

  /** Returns the last 0 to 7 octets of a string of at least 8. */
  private static long lastOctets(byte[] octets, int from, int to) {
    int bits = (to - from) * Byte.SIZE;
    return bits == 0 ? 0 : word(octets, to - Long.BYTES) >>> (Long.SIZE - bits);
  }

  /** Returns a string of 0 to 7 octets. */
  private static long firstOctets(byte[] octets, int from, int to) {
    long value = 0;
    for (int index = to - 1; index >= from; index--) {
      value = value << Byte.SIZE | (octets[index] & 0xFF);
    }
    return value;
  }

  /** Folds the 128-bit product onto itself, so that every bit of both factors affects every bit. */
  private static long mix(long left, long right) {
    return left * right ^ Math.multiplyHigh(left, right);
  }
}
