// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import io.stoa.cache.sharing.EqualAnswers.Comparisons;
import io.stoa.ldap.protocol.SearchPattern;
import io.stoa.proxy.advice.Advice.Topic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Advises a sharing class for identities of one parent whose answers were all equal. The class has
 * the common base and the attributes of the compared searches only. A pattern with different
 * answers must have an attribute that the class lacks.
 *
 * <p>Threading: stateless.
 */
final class SharingRule {
  /** Minimum number of equal answers: 50. */
  private static final long MIN_EQUAL = 50;

  /** Maximum number of identities that a class names one by one. */
  private static final int MAX_NAMED = 8;

  /** Attribute of an assertion in a filter. */
  private static final Pattern ATTRIBUTE = Pattern.compile("\\(([a-z0-9.-]+)[;a-z0-9-]*[~<>:]?=");

  /** First RDN of the base of a pattern for reads of one entry. */
  private static final Pattern ENTRY = Pattern.compile("[^,=]+=\\?,(.*)");

  private static final Pattern UNNAMED = Pattern.compile("[^A-Za-z0-9._-]");

  /** Base of at least one RDN below a reading of one entry, without escapes. */
  private static final Pattern PLAIN_BASE =
      Pattern.compile(
          "([^,=]+=\\?,)?[a-z0-9-]+=[^,=?\\\\'\"]+(,[a-z0-9-]+=[^,=?\\\\'\"]+)*(?<!\\.\\.\\.)");

  private SharingRule() {}

  static Stream<Advice> advise(TrafficStatus traffic) {
    Map<String, List<Comparisons>> groups =
        traffic.comparisons().stream()
            .collect(Collectors.groupingBy(Comparisons::parent, TreeMap::new, Collectors.toList()));
    return groups.entrySet().stream()
        .flatMap(group -> Stream.ofNullable(advise(group.getKey(), group.getValue())));
  }

  private static @Nullable Advice advise(String parent, List<Comparisons> all) {
    List<Comparisons> equal =
        all.stream().filter(one -> one.different() == 0 && isShareable(one.pattern())).toList();
    Set<String> attributes = new TreeSet<>();
    equal.forEach(one -> attributes.addAll(attributes(one.pattern())));
    long count = equal.stream().mapToLong(Comparisons::equal).sum();
    boolean contradicted =
        all.stream()
            .filter(one -> one.different() > 0 && isShareable(one.pattern()))
            .anyMatch(one -> attributes.containsAll(attributes(one.pattern())));
    if (count < MIN_EQUAL || contradicted) {
      return null;
    }
    Set<String> identities = new TreeSet<>();
    equal.forEach(one -> identities.addAll(one.identities()));
    String base = commonBase(equal.stream().map(one -> base(one.pattern())).toList());
    return base.isEmpty() ? null : advice(parent, count, identities, base, attributes);
  }

  private static Advice advice(
      String parent, long count, Set<String> identities, String base, Set<String> attributes) {
    boolean named = identities.size() <= MAX_NAMED;
    List<String> members = named ? List.copyOf(identities) : List.of("*," + parent);
    List<String> change = new ArrayList<>(List.of("cache:", "  classes:"));
    change.add("    - name: " + name(parent));
    change.add("      members: [" + quoted(members) + "]");
    change.add("      base: " + quoted(List.of(base)));
    change.add("      include: [" + quoted(attributes) + "]");
    return new Advice(
        Topic.SHARING,
        parent,
        "all "
            + count
            + " compared answers to "
            + (named ? identities.size() + " identities" : "more than 8 identities")
            + " below "
            + parent
            + " were equal to the answer that another one of them had received, and each was "
            + "a miss",
        change);
  }

  /**
   * True if a class can cover the pattern: it names its attributes, follows no aliases, and no part
   * of it was cut or escaped.
   */
  private static boolean isShareable(SearchPattern pattern) {
    return pattern.derefAliases() == 0
        && PLAIN_BASE.matcher(pattern.base()).matches()
        && !pattern.filter().contains("...")
        && attributes(pattern).stream()
            .allMatch(name -> IndexedAssertion.ATTRIBUTE.matcher(name).matches());
  }

  /** Returns the attributes of the list and the filter, without options. */
  private static Set<String> attributes(SearchPattern pattern) {
    Set<String> names = new TreeSet<>();
    for (String name : pattern.attributes().split(" ")) {
      names.add(name.split(";", 2)[0]);
    }
    Matcher filter = ATTRIBUTE.matcher(pattern.filter());
    while (filter.find()) {
      names.add(filter.group(1));
    }
    return names;
  }

  private static List<String> base(SearchPattern pattern) {
    Matcher entry = ENTRY.matcher(pattern.base());
    String base = entry.matches() ? entry.group(1) : pattern.base();
    return Arrays.asList(base.split(","));
  }

  /** Returns the DN that ends all bases. */
  private static String commonBase(List<List<String>> bases) {
    List<String> common = new ArrayList<>();
    int shortest = bases.stream().mapToInt(List::size).min().orElse(0);
    for (int depth = 1; depth <= shortest; depth++) {
      int fromEnd = depth;
      Set<String> parts =
          bases.stream()
              .map(base -> base.get(base.size() - fromEnd).strip())
              .collect(Collectors.toSet());
      if (parts.size() > 1) {
        break;
      }
      common.addAll(parts);
    }
    Collections.reverse(common);
    return String.join(",", common);
  }

  /** Returns a valid name of a class: the first value of the DN. */
  private static String name(String parent) {
    String value = parent.substring(parent.indexOf('=') + 1).split(",", 2)[0];
    String name = UNNAMED.matcher(value).replaceAll("");
    return name.isEmpty() || !Character.isLetterOrDigit(name.charAt(0)) ? "class" : name;
  }

  private static String quoted(Iterable<String> texts) {
    List<String> quoted = new ArrayList<>();
    texts.forEach(text -> quoted.add("'" + text.replace("'", "''") + "'"));
    return String.join(", ", quoted);
  }
}
