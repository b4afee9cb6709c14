// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import com.unboundid.ldap.sdk.Control;
import java.util.List;
import java.util.stream.Stream;

/**
 * The words of which requests about one subtree are made. Immutable.
 *
 * @param suffix its uppermost entry
 * @param writer index of the identity that may write there
 * @param bases DNs of search bases; the first ones are entries that are written
 * @param filters filters of searches
 * @param attributes names in attribute lists and compares
 * @param controls controls of searches
 */
record Vocabulary(
    String suffix,
    int writer,
    List<String> bases,
    List<String> filters,
    List<String> attributes,
    List<Control> controls) {

  /** The same and more. */
  Vocabulary and(List<String> moreBases, List<String> moreFilters, List<String> moreAttributes) {
    return new Vocabulary(
        suffix,
        writer,
        plus(bases, moreBases),
        plus(filters, moreFilters),
        plus(attributes, moreAttributes),
        controls);
  }

  /** The same with other controls. */
  Vocabulary with(List<Control> others) {
    return new Vocabulary(suffix, writer, bases, filters, attributes, others);
  }

  private static List<String> plus(List<String> some, List<String> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }
}
