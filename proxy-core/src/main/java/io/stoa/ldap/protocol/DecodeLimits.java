// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

/**
 * What one request may hold. The octets are bounded by the frame; this bounds the objects that are
 * made of them, and the stack.
 *
 * <p>Immutable.
 *
 * @param filterDepth how many and, or and not may be around a filter item; at most 1000, because
 *     filters are walked recursively
 * @param filterNodes and, or, not, items and substrings together
 * @param attributes in the attribute list of a search
 * @param controls in one request
 */
public record DecodeLimits(int filterDepth, int filterNodes, int attributes, int controls) {
  /** slapd takes as many (maxfilterdepth). */
  private static final int DEEPEST = 1000;

  public static final DecodeLimits DEFAULTS = new DecodeLimits(DEEPEST, 250_000, 100_000, 1000);

  public DecodeLimits {
    if (filterDepth < 1 || filterDepth > DEEPEST) {
      throw new IllegalArgumentException("filterDepth must be 1 to " + DEEPEST);
    }
    if (filterNodes < 1 || attributes < 1 || controls < 1) {
      throw new IllegalArgumentException("limits must be at least 1");
    }
  }
}
