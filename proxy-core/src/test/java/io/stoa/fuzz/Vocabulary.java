// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
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
 * @param controls controls of searches; the first one is drawn most often
 * @param ownAttributes those of the attributes that matter most here
 * @param computed DNs of entries whose attributes the server computes; they are asked more often
 * @param changes modifications beside those of people and groups
 * @param delay what the server shows late
 * @param place equal for subtrees that show each other's entries
 */
record Vocabulary(
    String suffix,
    int writer,
    List<String> bases,
    List<String> filters,
    List<String> attributes,
    List<Control> controls,
    List<String> ownAttributes,
    List<String> computed,
    List<Change> changes,
    Delay delay,
    String place) {

  /** The same and more bases, filters and names of attributes. */
  Vocabulary and(List<String> moreBases, List<String> moreFilters, List<String> moreAttributes) {
    return new Vocabulary(
        suffix,
        writer,
        plus(bases, moreBases),
        plus(filters, moreFilters),
        plus(attributes, moreAttributes),
        controls,
        plus(ownAttributes, moreAttributes),
        computed,
        changes,
        delay,
        place);
  }

  /** The same with more that the server computes. */
  Vocabulary computing(List<String> entries, List<Change> more) {
    return new Vocabulary(
        suffix,
        writer,
        bases,
        filters,
        attributes,
        controls,
        ownAttributes,
        plus(computed, entries),
        plus(changes, more),
        delay,
        place);
  }

  /** Whether its entries are those that {@link Tree} makes. */
  boolean isTree() {
    return bases.contains(Tree.person(0, suffix));
  }

  /** The same of a server that ignores paging there, or cannot go on to a second page. */
  Vocabulary unpaged() {
    return with(controls.stream().filter(control -> !isPaged(control)).toList());
  }

  boolean isPaged() {
    return controls.stream().anyMatch(Vocabulary::isPaged);
  }

  private static boolean isPaged(Control control) {
    return control.getOID().equals(SimplePagedResultsControl.PAGED_RESULTS_OID);
  }

  /** The same with other controls. */
  Vocabulary with(List<Control> others) {
    return new Vocabulary(
        suffix,
        writer,
        bases,
        filters,
        attributes,
        others,
        ownAttributes,
        computed,
        changes,
        delay,
        place);
  }

  /** The same of a server that shows changes late. */
  Vocabulary delay(Delay late) {
    return new Vocabulary(
        suffix,
        writer,
        bases,
        filters,
        attributes,
        controls,
        ownAttributes,
        computed,
        changes,
        late,
        place);
  }

  /** The same of a subtree that shows the entries of another one. */
  Vocabulary place(String other) {
    return new Vocabulary(
        suffix,
        writer,
        bases,
        filters,
        attributes,
        controls,
        ownAttributes,
        computed,
        changes,
        delay,
        other);
  }

  private static <T> List<T> plus(List<T> some, List<T> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }
}
