// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The part of a search or compare request that stays the same when only values change. Two requests
 * of one shape have the same fields, filter structure, attribute names, attribute list and
 * controls.
 *
 * <p>Values are the assertion values of the filter or compare. Values of {@code objectClass} belong
 * to the shape, since applications use few. The RDN value of an entry that is read by its DN is a
 * value too (see {@link RequestScanner}).
 *
 * <p>Layout, in which a string is its length (in base 128, the lowest digits first) and its octets:
 *
 * <pre>
 * search  = 63 scope deref sizeLimit timeLimit typesOnly name filter attributes controls
 * compare = 6E name attribute controls               (all but name and filter are strings)
 * name    = 00 dn | 01 rdnType parent                (the value of the RDN is left out)
 * filter  = A0|A1 filter... 00 | A2 filter | 87 attribute
 *         | A3|A5|A6|A8 attribute (00 | 01 value)
 *         | A4 attribute (80|81|82 (00 | 01))... 00  (00 for an empty part)
 *         | A9 (81 rule)? (82 attribute)? 83 (84 dnAttributes)? 00
 * </pre>
 *
 * <p>Octets: 24, and an array of 16 with the layout, in steps of 8. The layout has at most 2,048.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The request can be composed from the layout and its values in their order.
 *   <li>Equal shapes have values in equal numbers and places.
 *   <li>The hash is keyed, so that clients cannot choose shapes with equal hashes.
 * </ol>
 *
 * <p>Threading: immutable, except for the shape of a {@link RequestScanner}, which its next scan
 * changes.
 */
public final class RequestShape {
  static final int DN = 0;
  static final int RDN = 1;
  static final int VALUE = 0;
  static final int FIXED = 1;
  static final int END = 0;
  static final int EMPTY_PART = 0;
  static final int PART = 1;

  private byte[] octets;
  private int length;
  private int hash;

  /** Creates an empty shape for a scanner. */
  RequestShape() {
    octets = new byte[0];
  }

  private RequestShape(byte[] octets, int hash) {
    this.octets = octets;
    this.length = octets.length;
    this.hash = hash;
  }

  /** Makes the first octets of an array the content. The array is not copied. */
  void set(byte[] array, int count) {
    octets = array;
    length = count;
    hash = Octets.hash(array, 0, count);
  }

  /** Returns an immutable copy. */
  public RequestShape copy() {
    return new RequestShape(Arrays.copyOf(octets, length), hash);
  }

  /** Returns the number of octets. */
  public int length() {
    return length;
  }

  /**
   * Returns the body of the request with this shape and the given values.
   *
   * @param values the values in the order of the request
   * @throws IllegalArgumentException if their number is wrong
   */
  public byte[] request(byte[][] values) {
    return new RequestComposer(octets, values).compose();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RequestShape that
        && hash == that.hash
        && Arrays.equals(octets, 0, length, that.octets, 0, that.length);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return "RequestShape[" + length + "]";
  }
}
