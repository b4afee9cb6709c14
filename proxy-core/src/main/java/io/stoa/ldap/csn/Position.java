// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.csn;

import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How far a server has got: for each origin of changes the mark of the last one that it has. Marks
 * of one origin are compared as text. Immutable.
 *
 * <p>An origin is a server ID of OpenLDAP, a replica ID of 389-ds or an invocation ID of Active
 * Directory, in a naming context.
 */
public final class Position {
  /** Of a server of which nothing is known. */
  public static final Position NONE = new Position(new TreeMap<>());

  /** Between a naming context and what tells origins in it apart. */
  public static final char CONTEXT_END = '#';

  private final SortedMap<String, String> marks;
  private final Set<String> contexts;

  private Position(SortedMap<String, String> marks) {
    this.marks = marks;
    this.contexts = contexts(marks);
  }

  /** Makes it of marks by their origins. */
  public static Position of(Map<String, String> marks) {
    return marks.isEmpty() ? NONE : new Position(new TreeMap<>(marks));
  }

  /** Whether it says nothing. */
  public boolean isEmpty() {
    return marks.isEmpty();
  }

  /** All marks, by their origins. */
  public Map<String, String> marks() {
    return Collections.unmodifiableMap(marks);
  }

  /** The last change of an origin; null if none is known. */
  public @Nullable String mark(String origin) {
    return marks.get(origin);
  }

  /** Whether who is here has all that who is there has. */
  public boolean covers(Position other) {
    for (Map.Entry<String, String> there : other.marks.entrySet()) {
      if (!reaches(there.getKey(), there.getValue())) {
        return false;
      }
    }
    return true;
  }

  /** Whether the change of that mark, and all before it of that origin, are had. */
  public boolean reaches(String origin, String mark) {
    String own = marks.get(origin);
    return own != null && own.compareTo(mark) >= 0;
  }

  /**
   * Whether it can say whether what was done there is here: it knows of each naming context that is
   * known there. What a domain controller counts for itself says nothing of any other.
   */
  public boolean comparableWith(Position other) {
    Set<String> there = other.contexts();
    return !there.isEmpty() && contexts().containsAll(there);
  }

  /** The naming contexts for which it has marks. */
  public Set<String> contexts() {
    return contexts;
  }

  private static Set<String> contexts(SortedMap<String, String> marks) {
    Set<String> contexts = new HashSet<>();
    for (String origin : marks.keySet()) {
      String context = context(origin);
      if (context != null) {
        contexts.add(context);
      }
    }
    return Set.copyOf(contexts);
  }

  private static @Nullable String context(String origin) {
    int end = origin.lastIndexOf(CONTEXT_END);
    return end < 0 ? null : origin.substring(0, end);
  }

  /** The same without what it says of some naming contexts. */
  public Position without(Set<String> contexts) {
    SortedMap<String, String> less = new TreeMap<>(marks);
    less.keySet().removeIf(origin -> isIn(origin, contexts));
    return of(less);
  }

  private static boolean isIn(String origin, Set<String> contexts) {
    String own = context(origin);
    return own != null && contexts.contains(own);
  }

  /** What both have together. */
  public Position merge(Position other) {
    if (covers(other)) {
      return this;
    }
    if (other.covers(this)) {
      return other;
    }
    SortedMap<String, String> both = new TreeMap<>(marks);
    other.marks.forEach((origin, mark) -> both.merge(origin, mark, Position::later));
    return of(both);
  }

  /** What each of both has. */
  public Position least(Position other) {
    if (other.covers(this)) {
      return this;
    }
    SortedMap<String, String> less = new TreeMap<>(marks);
    less.keySet().retainAll(other.marks.keySet());
    other.marks.forEach(
        (origin, mark) -> less.computeIfPresent(origin, (o, m) -> earlier(m, mark)));
    return of(less);
  }

  private static String earlier(String one, String other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  private static String later(String one, String other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Position that && marks.equals(that.marks);
  }

  @Override
  public int hashCode() {
    return marks.hashCode();
  }

  /** Each origin and its mark, as people compare them. */
  @Override
  public String toString() {
    return marks.entrySet().stream()
        .map(entry -> entry.getKey() + " " + entry.getValue())
        .collect(Collectors.joining(", "));
  }
}
