// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values in which two states of an attribute differ. Designed for states with few differences:
 * a common beginning and a common end are compared as octets, without parsing.
 *
 * <p>Threading: immutable; the arrays must not be modified.
 *
 * @param removed values that only the earlier state has, and some that both have
 * @param added values that only the later state has, and the same common ones
 */
public record ValueDelta(List<byte[]> removed, List<byte[]> added) {
  private static final int BLOCK = 4096;
  private static final int LONG_FORM = 0x80;

  /** The encoded values of one state. {@code from} and {@code to} are indices of elements. */
  private static final class Side {
    final byte[] octets;
    int from;
    int to;

    Side(byte[] encoded) {
      octets = encoded;
      from = content(behind(content(0)));
      to = octets.length;
    }

    /** Returns the index of the content of the element. */
    int content(int element) {
      int first = octets[element + 1] & 0xFF;
      return element + 2 + (first < LONG_FORM ? 0 : first - LONG_FORM);
    }

    /** Returns the index of the next element. */
    int behind(int element) {
      int length = octets[element + 1] & 0xFF;
      int content = content(element);
      if (length >= LONG_FORM) {
        length = 0;
        for (int i = element + 2; i < content; i++) {
          length = (length << Byte.SIZE) | (octets[i] & 0xFF);
        }
      }
      return content + length;
    }

    /**
     * Returns the index of the first element at or after {@code index}; the end if there is none.
     */
    int elementAt(int index) {
      int element = from;
      while (element < index) {
        element = behind(element);
      }
      return element;
    }

    /** Skips the elements that end at or before {@code index}. */
    void skip(int index) {
      int next = from;
      while (next < to && behind(next) <= index) {
        next = behind(next);
      }
      from = next;
    }

    int length() {
      return to - from;
    }

    @Nullable List<byte[]> values(int limit) {
      List<byte[]> values = new ArrayList<>();
      for (int element = from; element < to; element = behind(element)) {
        if (values.size() == limit) {
          return null;
        }
        values.add(Arrays.copyOfRange(octets, content(element), behind(element)));
      }
      return values;
    }
  }

  /**
   * Compares two states; null if more than {@code limit} values of one state would have to be read.
   *
   * @param before the earlier state, well-formed since it was decoded
   * @param after the later state, well-formed since it was decoded
   */
  public static @Nullable ValueDelta of(AttributeOctets before, AttributeOctets after, int limit) {
    Side old = new Side(before.encoded());
    Side now = new Side(after.encoded());
    int firstDifference =
        Arrays.mismatch(old.octets, old.from, old.to, now.octets, now.from, now.to);
    if (firstDifference < 0) {
      return new ValueDelta(List.of(), List.of());
    }
    int begin = now.from;
    now.skip(begin + firstDifference);
    old.from += now.from - begin;
    leaveEnd(old, now);
    List<byte[]> removed = old.values(limit);
    List<byte[]> added = now.values(limit);
    return removed == null || added == null ? null : new ValueDelta(removed, added);
  }

  /** Removes the common end, unless it is split into values differently in the two states. */
  private static void leaveEnd(Side old, Side now) {
    int nowEnd = now.elementAt(now.to - sameEnd(old, now));
    int oldEnd = nowEnd - now.to + old.to;
    if (old.elementAt(oldEnd) == oldEnd) {
      old.to = oldEnd;
      now.to = nowEnd;
    }
  }

  private static int sameEnd(Side old, Side now) {
    int shorter = Math.min(old.length(), now.length());
    int count = 0;
    while (count + BLOCK <= shorter && equal(old, now, count, BLOCK)) {
      count += BLOCK;
    }
    while (count < shorter && equal(old, now, count, 1)) {
      count++;
    }
    return count;
  }

  private static boolean equal(Side old, Side now, int fromEnd, int length) {
    int oldTo = old.to - fromEnd;
    int nowTo = now.to - fromEnd;
    return Arrays.equals(old.octets, oldTo - length, oldTo, now.octets, nowTo - length, nowTo);
  }
}
