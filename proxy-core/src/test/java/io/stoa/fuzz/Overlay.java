// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.testing.Ldif;
import java.util.ArrayList;
import java.util.List;

/**
 * One database of a fuzzed slapd with the overlays that are tried there. Immutable.
 *
 * @param modules what is loaded for it
 * @param settings lines of slapd.conf; {@code SUFFIX} stands for its suffix
 * @param entries LDIF of more entries, separated by empty lines
 * @param computed DNs of entries whose attributes the overlay computes
 * @param changes modifications on which computed attributes depend
 */
record Overlay(
    String name,
    List<String> modules,
    String settings,
    String entries,
    List<String> bases,
    List<String> filters,
    List<String> attributes,
    List<String> computed,
    List<Change> changes) {

  static Overlay of(String modules, String settings) {
    List<String> names = List.of(modules.split(" "));
    return named(names.get(0), modules, settings);
  }

  /** One whose suffix is called otherwise. */
  static Overlay named(String name, String modules, String settings) {
    List<String> none = List.of();
    List<String> names = List.of(modules.split(" "));
    return new Overlay(name, names, settings, "", none, none, none, none, List.of());
  }

  /** The same with an entry; it becomes a base of searches. */
  Overlay entry(String dn, String... lines) {
    String more = "dn: " + dn + "\n" + String.join("\n", lines) + "\n\n";
    return new Overlay(
        name,
        modules,
        settings,
        entries + more,
        plus(bases, dn),
        filters,
        attributes,
        computed,
        changes);
  }

  /** The same with a filter of searches. */
  Overlay filter(String filter) {
    return new Overlay(
        name,
        modules,
        settings,
        entries,
        bases,
        plus(filters, filter),
        attributes,
        computed,
        changes);
  }

  /** The same with names of attributes. */
  Overlay attributes(String... names) {
    return new Overlay(
        name, modules, settings, entries, bases, filters, List.of(names), computed, changes);
  }

  /** The same with another base of searches. */
  Overlay base(String dn) {
    return new Overlay(
        name, modules, settings, entries, plus(bases, dn), filters, attributes, computed, changes);
  }

  /** The same with an entry whose attributes are computed. */
  Overlay computes(String dn) {
    return new Overlay(
        name, modules, settings, entries, bases, filters, attributes, plus(computed, dn), changes);
  }

  /** The same with a modification; one of the values is added, deleted or set. */
  Overlay change(String dn, String attribute, String... values) {
    return new Overlay(
        name,
        modules,
        settings,
        entries,
        bases,
        filters,
        attributes,
        computed,
        plus(changes, new Change(dn, attribute, List.of(values))));
  }

  private static <T> List<T> plus(List<T> all, T one) {
    List<T> more = new ArrayList<>(all);
    more.add(one);
    return List.copyOf(more);
  }

  String suffix() {
    return "dc=" + name.replace("_", "") + ",dc=test";
  }

  String lines() {
    return settings.replace("SUFFIX", suffix());
  }

  /** True if a script, in small letters and without spaces, is about its entries. */
  boolean isIn(String script) {
    return here(bases).stream().anyMatch(script::contains) || script.contains(suffix());
  }

  void fill(Ldif ldif) {
    for (String entry : entries.replace("SUFFIX", suffix()).split("\n\n")) {
      String[] lines = entry.split("\n");
      if (lines.length > 1) {
        ldif.entry(
            lines[0].substring("dn: ".length()),
            List.of(lines).subList(1, lines.length).toArray(String[]::new));
      }
    }
  }

  Vocabulary vocabulary(int writer) {
    Vocabulary tree = Tree.vocabulary(suffix(), writer);
    boolean invented = settings.contains("overlay retcode"); // its entries know no pages
    return (invented ? tree.unpaged() : tree)
        .and(here(bases), here(filters), attributes)
        .computing(here(computed), changes.stream().map(it -> it.in(suffix())).toList())
        .delay(settings.contains("overlay refint") ? Delay.SIDE_EFFECTS : Delay.NONE);
  }

  private List<String> here(List<String> all) {
    return all.stream().map(one -> one.replace("SUFFIX", suffix())).toList();
  }
}
