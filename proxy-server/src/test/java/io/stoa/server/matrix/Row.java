// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import io.stoa.server.differential.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * One row of the matrix: what is specified where, which servers it concerns, and a script that
 * proves it.
 *
 * @param oids what the root DSE lists for it; empty if nothing is listed for it
 */
record Row(
    String specification,
    String subject,
    List<String> oids,
    Predicate<RootDse> applies,
    BiConsumer<Script, Names> steps) {

  /** What every directory has. */
  static Row always(String specification, String subject, BiConsumer<Script, Names> steps) {
    return new Row(specification, subject, List.of(), server -> true, steps);
  }

  /** What the servers have that list this object identifier. */
  static Row listed(
      String oid, String specification, String subject, BiConsumer<Script, Names> steps) {
    return new Row(specification, subject, List.of(oid), server -> server.lists(oid), steps);
  }

  /** The row is for further servers, which do not list what they have. */
  Row or(Predicate<RootDse> further) {
    return new Row(specification, subject, oids, applies.or(further), steps);
  }

  /** The row is for some servers only, as others have no such entries. */
  Row onlyOn(Predicate<RootDse> some) {
    return new Row(specification, subject, oids, applies.and(some), steps);
  }

  /** The row proves more that is listed. */
  Row also(String... more) {
    List<String> all = new ArrayList<>(oids);
    all.addAll(List.of(more));
    return new Row(specification, subject, List.copyOf(all), applies, steps);
  }

  Script script(Names names) {
    Script script = new Script().group(subject);
    steps.accept(script, names);
    return script;
  }
}
