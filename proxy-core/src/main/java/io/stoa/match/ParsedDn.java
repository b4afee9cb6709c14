// SPDX-License-Identifier: Apache-2.0
package io.stoa.match;

import java.util.List;

/**
 * A DN taken apart, its own RDN first. Immutable.
 *
 * @param strict written as RFC 4514 says, but for spaces around separators; if not, directories may
 *     differ in what they take it for
 */
record ParsedDn(List<List<Ava>> rdns, boolean strict) {

  /**
   * One attribute and its value in an RDN.
   *
   * @param value without escapes
   * @param trimmed whether spaces around the value were dropped
   */
  record Ava(byte[] type, byte[] value, boolean trimmed) {}
}
