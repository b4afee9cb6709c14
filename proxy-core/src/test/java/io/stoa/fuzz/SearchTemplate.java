// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import com.unboundid.ldap.sdk.controls.VirtualListViewRequestControl;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.SearchBuilder;
import java.util.List;

/** A search, and random ones like it. Immutable. */
record SearchTemplate(
    String base,
    int scope,
    int deref,
    int sizeLimit,
    boolean justTypes,
    String filter,
    List<String> attributes,
    List<Control> controls) {
  private static final int MAX_ATTRIBUTES = 4;
  private static final int DIMENSIONS = 11;
  private static final int SCOPES = 4;

  static SearchTemplate draw(RandomChoices draws, Vocabulary words) {
    boolean above = draws.oneIn(3);
    boolean computed = !words.computed().isEmpty() && draws.oneIn(2);
    return new SearchTemplate(
        above ? words.suffix() : draws.of(computed ? words.computed() : words.bases()),
        above ? 2 : draws.below(SCOPES),
        draws.oneIn(6) ? draws.below(4) : 0,
        draws.oneIn(12) ? 1 + draws.below(4) : 0,
        draws.oneIn(15),
        draws.oneIn(2) ? "(objectClass=*)" : filter(draws, words),
        draws.oneIn(3) ? List.of() : names(draws, words),
        draws.oneIn(4) ? draws.some(words.controls(), 2) : List.of());
  }

  /** One that finds an entry: by its name, by a filter for its RDN, or perhaps by another one. */
  static SearchTemplate about(RandomChoices draws, Vocabulary words, String dn) {
    SearchTemplate any = draw(draws, words);
    return switch (draws.below(4)) {
      case 0 ->
          any.with(words.suffix(), 2, 0).withParts(0, any.filter, any.attributes, any.controls);
      case 1 ->
          any.with(words.suffix(), 2, 0).withParts(0, named(dn), any.attributes, any.controls);
      default -> any.with(dn, 0, 0).withParts(0, "(objectClass=*)", any.attributes, any.controls);
    };
  }

  /** A filter for the RDN of an entry. */
  private static String named(String dn) {
    String rdn = dn.split(",", 2)[0].replace(" ", "");
    return rdn.matches("[A-Za-z0-9.]+=\\w+") ? "(" + rdn + ")" : "(objectClass=*)";
  }

  /** One that differs in one respect. */
  SearchTemplate varied(RandomChoices draws, Vocabulary words) {
    SearchTemplate other = draw(draws, words);
    return switch (draws.below(DIMENSIONS)) {
      case 0 -> with(draws.respelled(draws.oneIn(2) ? base : other.base), scope, deref);
      case 1 -> with(base, draws.below(SCOPES), deref);
      case 2 -> with(base, scope, draws.below(4));
      case 3 -> types(!justTypes);
      case 4 -> withParts(other.sizeLimit, filter, attributes, controls);
      case 5 -> withParts(sizeLimit, filter(draws, words), attributes, controls);
      case 6 -> withParts(sizeLimit, filter, names(draws, words), controls);
      case 7 -> withParts(sizeLimit, filter, List.of(), controls);
      default -> withParts(sizeLimit, filter, attributes, controls(draws, words));
    };
  }

  private List<Control> controls(RandomChoices draws, Vocabulary words) {
    return switch (draws.below(3)) {
      case 0 -> controls.isEmpty() ? List.of(words.controls().get(0)) : List.of();
      case 1 -> List.of(draws.of(words.controls()));
      default -> draws.some(words.controls(), 2);
    };
  }

  private static List<String> names(RandomChoices draws, Vocabulary words) {
    List<String> own = words.ownAttributes();
    boolean some = !own.isEmpty() && draws.oneIn(2);
    return draws.some(some ? own : words.attributes(), MAX_ATTRIBUTES).stream()
        .map(draws::cased)
        .toList();
  }

  private static String filter(RandomChoices draws, Vocabulary words) {
    String one = draws.of(words.filters());
    return switch (draws.below(8)) {
      case 0 -> "(&" + one + draws.of(words.filters()) + ")";
      case 1 -> "(|" + one + draws.of(words.filters()) + ")";
      case 2 -> "(!" + one + ")";
      default -> one;
    };
  }

  private SearchTemplate with(String newBase, int newScope, int newDeref) {
    return new SearchTemplate(
        newBase, newScope, newDeref, sizeLimit, justTypes, filter, attributes, controls);
  }

  private SearchTemplate types(boolean only) {
    return new SearchTemplate(base, scope, deref, sizeLimit, only, filter, attributes, controls);
  }

  private SearchTemplate withParts(int size, String what, List<String> which, List<Control> how) {
    return new SearchTemplate(base, scope, deref, size, justTypes, what, which, how);
  }

  /** The same without what a walk by pages adds itself, or forbids. */
  SearchTemplate plain() {
    return withParts(0, filter, attributes, List.of());
  }

  /** The same as a virtual list view. */
  SearchTemplate view(int target) {
    return withParts(
        0,
        filter,
        attributes,
        List.of(
            new ServerSideSortRequestControl(true, new SortKey("uid")),
            new VirtualListViewRequestControl(target, 1, 1, 0, null, false)));
  }

  RawRequest request() {
    SearchBuilder search =
        Requests.search(base)
            .scope(scope)
            .deref(deref)
            .sizeLimit(sizeLimit)
            .filter(filter)
            .attributes(attributes.toArray(String[]::new));
    RawRequest request = (justTypes ? search.justTypes() : search).request();
    return request.with(controls.toArray(Control[]::new));
  }
}
