// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

/**
 * Limits of the objects and of the stack that decoding one request may take. The size of the frame
 * bounds its octets.
 *
 * <p>Threading: immutable.
 *
 * @param filterDepth maximum number of and, or and not around a filter item; at most 1000, because
 *     filters are processed recursively
 * @param filterNodes maximum number of and, or, not, items and substrings in one filter
 * @param attributes maximum number of attributes in the list of a search
 * @param controls maximum number of controls in one request
 */
public record DecodeLimits(int filterDepth, int filterNodes, int attributes, int controls) {
  /** Maximum depth of filters: 1000, as in slapd (maxfilterdepth). */
  private static final int DEEPEST = 1000;

  public static final DecodeLimits DEFAULTS = new DecodeLimits(DEEPEST, 250_000, 100_000, 1000);

  /** No limits except the depth of filters, for requests that were accepted before. */
  public static final DecodeLimits ACCEPTED =
      new DecodeLimits(DEEPEST, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

  public DecodeLimits {
    if (filterDepth < 1 || filterDepth > DEEPEST) {
      throw new IllegalArgumentException("filterDepth must be 1 to " + DEEPEST);
    }
    if (filterNodes < 1 || attributes < 1 || controls < 1) {
      throw new IllegalArgumentException("limits must be at least 1");
    }
  }
}
