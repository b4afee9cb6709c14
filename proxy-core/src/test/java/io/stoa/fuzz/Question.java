// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import com.unboundid.ldap.sdk.Control;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.SearchBuilder;
import java.util.List;

/** A search, and random ones like it. Immutable. */
record Question(
    String base,
    int scope,
    int deref,
    int sizeLimit,
    boolean justTypes,
    String filter,
    List<String> attributes,
    List<Control> controls) {
  private static final int MOST_ATTRIBUTES = 4;
  private static final int DIMENSIONS = 8;
  private static final int SCOPES = 4;

  static Question draw(Draws draws, Vocabulary words) {
    boolean above = draws.oneIn(3);
    return new Question(
        above ? words.suffix() : draws.of(words.bases()),
        above ? 2 : draws.below(SCOPES),
        draws.oneIn(6) ? draws.below(4) : 0,
        draws.oneIn(12) ? 1 + draws.below(4) : 0,
        draws.oneIn(15),
        draws.oneIn(2) ? "(objectClass=*)" : filter(draws, words),
        draws.oneIn(3) ? List.of() : names(draws, words),
        draws.oneIn(4) ? draws.some(words.controls(), 2) : List.of());
  }

  /** One that finds an entry, by its name or among others. */
  static Question about(Draws draws, Vocabulary words, String dn) {
    Question any = draw(draws, words);
    return draws.oneIn(2)
        ? any.with(dn, 0, 0).asked(0, false, "(objectClass=*)", any.attributes, any.controls)
        : any.with(words.suffix(), 2, 0).asked(0, false, any.filter, any.attributes, any.controls);
  }

  /** One that differs in one respect. */
  Question varied(Draws draws, Vocabulary words) {
    Question other = draw(draws, words);
    return switch (draws.below(DIMENSIONS)) {
      case 0 -> with(draws.spelt(draws.oneIn(2) ? base : other.base), scope, deref);
      case 1 -> with(base, draws.below(SCOPES), deref);
      case 2 -> with(base, scope, draws.below(4));
      case 3 -> asked(other.sizeLimit, !justTypes, filter, attributes, controls);
      case 4 -> asked(sizeLimit, justTypes, filter(draws, words), attributes, controls);
      case 5 -> asked(sizeLimit, justTypes, filter, names(draws, words), controls);
      case 6 -> asked(sizeLimit, justTypes, filter, List.of(), controls);
      default -> asked(sizeLimit, justTypes, filter, attributes, draws.some(words.controls(), 2));
    };
  }

  private static List<String> names(Draws draws, Vocabulary words) {
    return draws.some(words.attributes(), MOST_ATTRIBUTES).stream().map(draws::cased).toList();
  }

  private static String filter(Draws draws, Vocabulary words) {
    String one = draws.of(words.filters());
    return switch (draws.below(8)) {
      case 0 -> "(&" + one + draws.of(words.filters()) + ")";
      case 1 -> "(|" + one + draws.of(words.filters()) + ")";
      case 2 -> "(!" + one + ")";
      default -> one;
    };
  }

  private Question with(String newBase, int newScope, int newDeref) {
    return new Question(
        newBase, newScope, newDeref, sizeLimit, justTypes, filter, attributes, controls);
  }

  private Question asked(
      int size, boolean types, String what, List<String> which, List<Control> how) {
    return new Question(base, scope, deref, size, types, what, which, how);
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
