// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One assertion of a filter that an index can answer.
 *
 * <p>Threading: immutable.
 *
 * @param attribute the attribute, in lower case and without options
 * @param type the type of index
 */
record IndexedAssertion(String attribute, IndexType type) implements Comparable<IndexedAssertion> {
  private static final String OBJECT_CLASS = "objectclass";
  private static final String OPERATORS = "~><:";

  /** Attribute type (RFC 4512, section 2.5): clients choose the text, which commands repeat. */
  static final Pattern ATTRIBUTE = Pattern.compile("[a-z][a-z0-9-]{0,63}|[0-9.]{3,63}");

  /** Types of indexes, the most selective first. Names are those of slapd and 389-ds. */
  enum IndexType {
    /** Equality, which also serves ranges. */
    EQ("eq"),
    /** Substrings. */
    SUB("sub"),
    /** Approximate match. */
    APPROX("approx"),
    /** Presence. */
    PRES("pres");

    private final String word;

    IndexType(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  /**
   * Returns the assertions of which each needs an index, so that a directory need not read all
   * entries; empty if no index helps or the pattern was cut.
   *
   * @param filter the filter of a pattern (RFC 4515, with question marks for values)
   */
  static Set<IndexedAssertion> of(String filter) {
    Parser parser = new Parser(filter);
    Set<IndexedAssertion> assertions = parser.filter();
    return assertions == null || parser.at != filter.length() ? Set.of() : assertions;
  }

  @Override
  public int compareTo(IndexedAssertion other) {
    return Comparator.comparing(IndexedAssertion::type)
        .thenComparing(IndexedAssertion::attribute)
        .compare(this, other);
  }

  /** Parser of the filter of a pattern. Threading: confined to one thread. */
  private static final class Parser {
    private final String text;
    private int at;

    Parser(String text) {
      this.text = text;
    }

    private char next() {
      return at < text.length() ? text.charAt(at) : ' ';
    }

    private boolean skip(char expected) {
      boolean found = next() == expected;
      at += found ? 1 : 0;
      return found;
    }

    /** Returns the assertions of the filter that begins here; null if no index serves it. */
    @Nullable Set<IndexedAssertion> filter() {
      if (!skip('(')) {
        return null;
      }
      Set<IndexedAssertion> assertions;
      if (skip('&')) {
        assertions = and(parts());
      } else if (skip('|')) {
        assertions = or(parts());
      } else if (skip('!')) {
        filter();
        assertions = null;
      } else {
        assertions = assertion();
      }
      return skip(')') ? assertions : null;
    }

    private List<Optional<Set<IndexedAssertion>>> parts() {
      List<Optional<Set<IndexedAssertion>>> parts = new ArrayList<>();
      while (next() == '(') {
        parts.add(Optional.ofNullable(filter()));
      }
      return parts;
    }

    /**
     * One indexed part is enough: the one with the most selective assertion, and with the fewest.
     */
    private static @Nullable Set<IndexedAssertion> and(
        List<Optional<Set<IndexedAssertion>>> parts) {
      return parts.stream()
          .flatMap(Optional::stream)
          .min(
              Comparator.comparing((Set<IndexedAssertion> assertions) -> weakest(assertions))
                  .thenComparing(Set::size))
          .orElse(null);
    }

    private static IndexType weakest(Set<IndexedAssertion> assertions) {
      return assertions.stream()
          .map(IndexedAssertion::type)
          .max(Comparator.naturalOrder())
          .orElse(IndexType.PRES);
    }

    /** Each part must be indexed. */
    private static @Nullable Set<IndexedAssertion> or(List<Optional<Set<IndexedAssertion>>> parts) {
      Set<IndexedAssertion> all = new TreeSet<>();
      parts.forEach(part -> part.ifPresent(all::addAll));
      boolean complete = !parts.isEmpty() && parts.stream().allMatch(Optional::isPresent);
      return complete ? all : null;
    }

    private @Nullable Set<IndexedAssertion> assertion() {
      int end = text.indexOf(')', at);
      int equals = text.indexOf('=', at);
      if (equals < 0 || end < equals) {
        return null;
      }
      char operator = equals > at ? text.charAt(equals - 1) : ' ';
      boolean plain = OPERATORS.indexOf(operator) < 0;
      String description = text.substring(at, plain ? equals : equals - 1);
      String value = text.substring(equals + 1, end);
      at = end;
      String attribute = description.split(";", 2)[0];
      IndexType type = typeOf(operator, value);
      return type == null
              || !ATTRIBUTE.matcher(attribute).matches()
              || attribute.equals(OBJECT_CLASS)
          ? null
          : Set.of(new IndexedAssertion(attribute, type));
    }

    private static @Nullable IndexType typeOf(char operator, String value) {
      return switch (operator) {
        case '~' -> IndexType.APPROX;
        case ':' -> null;
        case '>', '<' -> IndexType.EQ;
        default ->
            value.equals("*") ? IndexType.PRES : value.contains("*") ? IndexType.SUB : IndexType.EQ;
      };
    }
  }
}
