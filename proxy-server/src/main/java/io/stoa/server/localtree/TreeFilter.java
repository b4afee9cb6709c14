// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import io.stoa.ldap.filter.Truth;
import io.stoa.ldap.protocol.FilterNode;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates search filters on one entry of a tree (RFC 4511, section 4.5.1.7).
 *
 * <ol>
 *   <li>An assertion about an attribute that no entry of the tree has is undefined.
 *   <li>An assertion about an attribute that only this entry lacks is false.
 *   <li>Whole numbers are compared as numbers, all other values as text regardless of case.
 * </ol>
 *
 * <p>Threading: immutable.
 */
final class TreeFilter {
  private static final String OBJECT_CLASS = "objectclass";
  private static final Pattern INTEGER = Pattern.compile("-?\\d{1,30}");

  private final TreeEntry entry;
  private final Set<String> knownTypes;
  private final TypeHierarchy kinds;

  /**
   * @param knownTypes names of all attributes in the tree, in lower case
   */
  TreeFilter(TreeEntry entry, Set<String> knownTypes, TypeHierarchy kinds) {
    this.entry = entry;
    this.knownTypes = knownTypes;
    this.kinds = kinds;
  }

  Truth evaluate(FilterNode filter) {
    if (filter instanceof FilterNode.And and) {
      return and.members().stream().map(this::evaluate).reduce(Truth.TRUE, Truth::and);
    }
    if (filter instanceof FilterNode.Or or) {
      return or.members().stream().map(this::evaluate).reduce(Truth.FALSE, Truth::or);
    }
    if (filter instanceof FilterNode.Not not) {
      return evaluate(not.member()).not();
    }
    return assertion(filter);
  }

  private Truth assertion(FilterNode filter) {
    if (filter instanceof FilterNode.Present present) {
      return any(present.attribute(), value -> true);
    }
    if (filter instanceof FilterNode.Equality equality) {
      return equal(equality.attribute(), equality.value());
    }
    if (filter instanceof FilterNode.Approximate approximate) {
      return equal(approximate.attribute(), approximate.value());
    }
    if (filter instanceof FilterNode.Substrings substrings) {
      Predicate<String> matches = substrings(substrings);
      return any(substrings.attribute(), matches);
    }
    return ordering(filter);
  }

  private Truth ordering(FilterNode filter) {
    if (filter instanceof FilterNode.GreaterOrEqual ge) {
      String bound = text(ge.value());
      return any(ge.attribute(), value -> compare(value, bound) >= 0);
    }
    if (filter instanceof FilterNode.LessOrEqual le) {
      String bound = text(le.value());
      return any(le.attribute(), value -> compare(value, bound) <= 0);
    }
    return Truth.UNDEFINED;
  }

  private Truth equal(byte[] attribute, byte[] assertion) {
    String asserted = text(assertion);
    return any(attribute, value -> compare(value, asserted) == 0);
  }

  private Truth any(byte[] attribute, Predicate<String> matches) {
    String name = fold(text(attribute));
    return knownTypes.contains(name) ? truth(values(name).anyMatch(matches)) : Truth.UNDEFINED;
  }

  private static Truth truth(boolean matches) {
    return matches ? Truth.TRUE : Truth.FALSE;
  }

  private Stream<String> values(String name) {
    if (name.equals(OBJECT_CLASS)) {
      return entry.values(name).stream()
          .flatMap(value -> kinds.withSuperiors(fold(value)).stream());
    }
    return kinds.hasSubtypes(name)
        ? entry.keys().stream()
            .filter(key -> kinds.withSuperiors(key).contains(name))
            .flatMap(key -> entry.values(key).stream())
        : entry.values(name).stream();
  }

  private static int compare(String value, String assertion) {
    if (INTEGER.matcher(value).matches() && INTEGER.matcher(assertion).matches()) {
      return new BigInteger(value).compareTo(new BigInteger(assertion));
    }
    return fold(value).compareTo(fold(assertion));
  }

  private static Predicate<String> substrings(FilterNode.Substrings parts) {
    String initial = part(parts.initial());
    List<String> middle = parts.any().stream().map(TreeFilter::part).toList();
    String last = part(parts.last());
    return value -> contains(fold(value), initial, middle, last);
  }

  /**
   * True if the parts occur in order. The first place for each part is the best, so no backtracking
   * is needed.
   */
  private static boolean contains(String value, String initial, List<String> middle, String last) {
    if (!value.startsWith(initial)) {
      return false;
    }
    int from = initial.length();
    for (String part : middle) {
      int found = value.indexOf(part, from);
      if (found < 0) {
        return false;
      }
      from = found + part.length();
    }
    return value.length() - last.length() >= from && value.endsWith(last);
  }

  private static String part(byte @Nullable [] octets) {
    return octets == null ? "" : fold(text(octets));
  }

  private static String fold(String text) {
    return TreeEntry.fold(text);
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }
}
