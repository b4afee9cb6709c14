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
 * The replication state of a server: for each origin of changes, the mark of the last change that
 * the server has. Marks of one origin are compared as text.
 *
 * <p>An origin is a server ID of OpenLDAP, a replica ID of 389-ds or an invocation ID of Active
 * Directory, in a naming context.
 *
 * <p>Threading: immutable.
 */
public final class Position {
  /** The position of a server about which nothing is known. */
  public static final Position NONE = new Position(new TreeMap<>());

  /** Separates the naming context from the ID in the name of an origin. */
  public static final char CONTEXT_END = '#';

  private final SortedMap<String, String> marks;
  private final Set<String> contexts;

  private Position(SortedMap<String, String> marks) {
    this.marks = marks;
    this.contexts = contexts(marks);
  }

  /** Creates a position from marks by origin. */
  public static Position of(Map<String, String> marks) {
    return marks.isEmpty() ? NONE : new Position(new TreeMap<>(marks));
  }

  /** True if the position has no marks. */
  public boolean isEmpty() {
    return marks.isEmpty();
  }

  /** Returns all marks by origin. */
  public Map<String, String> marks() {
    return Collections.unmodifiableMap(marks);
  }

  /** Returns the mark of the last change of an origin; null if none is known. */
  public @Nullable String mark(String origin) {
    return marks.get(origin);
  }

  /** True if a server at this position has every change that a server at the other position has. */
  public boolean covers(Position other) {
    for (Map.Entry<String, String> mark : other.marks.entrySet()) {
      if (!reaches(mark.getKey(), mark.getValue())) {
        return false;
      }
    }
    return true;
  }

  /**
   * True if this position includes the change with that mark, and so all earlier changes of the
   * origin.
   */
  public boolean reaches(String origin, String mark) {
    String csn = marks.get(origin);
    return csn != null && csn.compareTo(mark) >= 0;
  }

  /**
   * True if this position has marks for every naming context of the other one. The counter of a
   * domain controller has no naming context, and cannot be compared with any other position.
   */
  public boolean comparableWith(Position other) {
    Set<String> otherContexts = other.contexts();
    return !otherContexts.isEmpty() && contexts().containsAll(otherContexts);
  }

  /** Returns the naming contexts for which this position has marks. */
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

  /** Returns this position without the marks of some naming contexts. */
  public Position without(Set<String> contexts) {
    SortedMap<String, String> remaining = new TreeMap<>(marks);
    remaining.keySet().removeIf(origin -> isIn(origin, contexts));
    return of(remaining);
  }

  private static boolean isIn(String origin, Set<String> contexts) {
    String ownContext = context(origin);
    return ownContext != null && contexts.contains(ownContext);
  }

  /** Returns the union: for each origin of either position, the later mark. */
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

  /** Returns the intersection: for each origin of both positions, the earlier mark. */
  public Position intersect(Position other) {
    if (other.covers(this)) {
      return this;
    }
    SortedMap<String, String> common = new TreeMap<>(marks);
    common.keySet().retainAll(other.marks.keySet());
    other.marks.forEach(
        (origin, mark) -> common.computeIfPresent(origin, (o, m) -> earlier(m, mark)));
    return of(common);
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

  /** Returns each origin with its mark, for administrators. */
  @Override
  public String toString() {
    return marks.entrySet().stream()
        .map(entry -> entry.getKey() + " " + entry.getValue())
        .collect(Collectors.joining(", "));
  }
}
