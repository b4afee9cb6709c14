// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import com.unboundid.ldap.sdk.ModificationType;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Expected contents of a subtree after writes that were drawn, so that the next ones succeed. A
 * refused write makes it wrong until the same entry or value is drawn again. Confined to the thread
 * of the test.
 */
final class ExpectedTree {
  /** Numbers of persons that are added and deleted. */
  static final List<Integer> FRESH = IntStream.range(Tree.PEOPLE, Tree.PEOPLE + 3).boxed().toList();

  private static final List<Integer> GROUPS = IntStream.range(0, Tree.GROUPS + 2).boxed().toList();

  private final Set<Integer> fresh = new TreeSet<>();
  private final Set<Integer> groups = new TreeSet<>(GROUPS.subList(0, Tree.GROUPS));
  private boolean moved;
  private final Map<String, Set<String>> values = new HashMap<>();

  private ExpectedTree() {}

  /** Contents as {@link Tree} fills it. */
  static ExpectedTree of(String suffix) {
    ExpectedTree first = new ExpectedTree();
    for (int i = 0; i < Tree.PEOPLE; i++) {
      String next = Tree.person((i + 1) % Tree.PEOPLE, suffix);
      first.set(Tree.person(i, suffix), "manager", next);
      first.set(Tree.person(i, suffix), "employeeNumber", "" + i);
    }
    for (int i = 0; i < Tree.GROUPS; i++) {
      first.set(Tree.group(i, suffix), "member", Tree.person(i, suffix));
      first.values(Tree.group(i, suffix), "member").add(Tree.person(i + 1, suffix));
    }
    return first;
  }

  /** Persons that were added. */
  List<Integer> fresh() {
    return List.copyOf(fresh);
  }

  /** A person was added or deleted. */
  void fresh(int number, boolean isThere) {
    if (isThere) {
      fresh.add(number);
    } else {
      fresh.remove(number);
    }
  }

  /** Persons that may be added. */
  List<Integer> absent() {
    return FRESH.stream().filter(it -> !fresh.contains(it)).toList();
  }

  /** True if a person that was added is among the groups. */
  boolean isMoved() {
    return moved;
  }

  void moved(boolean isThere) {
    moved = isThere;
  }

  List<Integer> groups() {
    return List.copyOf(groups);
  }

  /** Names that no group has. */
  List<Integer> otherGroups() {
    return GROUPS.stream().filter(it -> !groups.contains(it)).toList();
  }

  void renameGroup(int from, int to) {
    groups.remove(from);
    groups.add(to);
  }

  /** The only value, if it was set; else empty. */
  String value(String dn, String attribute) {
    Set<String> now = values(dn, attribute);
    return now.size() == 1 ? now.iterator().next() : "";
  }

  boolean has(String dn, String attribute, String value) {
    return values(dn, attribute).contains(value);
  }

  void set(String dn, String attribute, String value) {
    values(dn, attribute).clear();
    values(dn, attribute).add(value);
  }

  void modified(String dn, String attribute, String value, ModificationType type) {
    if (type.equals(ModificationType.REPLACE)) {
      set(dn, attribute, value);
    } else if (type.equals(ModificationType.ADD)) {
      values(dn, attribute).add(value);
    } else {
      values(dn, attribute).remove(value);
    }
  }

  private Set<String> values(String dn, String attribute) {
    String key = dn.replace(" ", "").toLowerCase(Locale.ROOT) + " " + attribute;
    return values.computeIfAbsent(key, it -> new TreeSet<>());
  }
}
