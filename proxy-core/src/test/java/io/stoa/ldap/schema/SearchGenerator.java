// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random searches of a {@link SpelledTree}, most of which find something. Single-threaded. */
final class SearchGenerator {
  private static final Map<String, List<String>> VALUES =
      Map.ofEntries(
          Map.entry("cn", List.of("Fritz", "John Smith", "Anna Maria Smith", "Group 1", "a", " ")),
          Map.entry("cn;lang-de", List.of("Hans 1", "Fritz")),
          Map.entry("cn;lang-de;x-a", List.of("Fritz")),
          Map.entry("cn;binary", List.of("Fritz")),
          Map.entry("sn", List.of("Smith", "von Stein", "M\u00fcller", "O'Neil")),
          Map.entry("name", List.of("smith", "Red", "Fritz", "DE")),
          Map.entry("givenName", List.of("John", "Anna Maria")),
          Map.entry("mail", List.of("J1@example.com", "m 3@example.com", "\u00fc@x")),
          Map.entry("uid", List.of("User1", "User33", "nobody")),
          Map.entry("telephoneNumber", List.of("+49 30 1", "+49301", "")),
          Map.entry("uidNumber", List.of("1003", "01003", "x")),
          Map.entry("homeDirectory", List.of("/home/U1", "/HOME/U1")),
          Map.entry("stoaFlag", List.of("TRUE", "true", "x")),
          Map.entry("stoaPrintable", List.of("red hat", "BLUE", "a@b")),
          Map.entry("stoaExactName", List.of("red", "Red")),
          Map.entry("stoaNoRule", List.of("x")),
          Map.entry("description", List.of("some text", "Some  Text", "other")),
          Map.entry("c", List.of("DE", "DEU", " de")),
          Map.entry("ou", List.of("other things", "people", "Sub0")),
          Map.entry("entryDN", List.of(SpelledTree.person(1), "ou=people," + SpelledTree.SUFFIX)),
          Map.entry(
              "member",
              List.of(
                  SpelledTree.person(1),
                  SpelledTree.person(9),
                  "cn=Smith\\, John \\+ Co," + SpelledTree.PARENTS.get(0),
                  "nothing")),
          Map.entry("objectClass", List.of("person", "stoaThing", "groupOfNames", "none", "top")),
          Map.entry("unknown", List.of("x")));
  private static final List<String> NAMES = VALUES.keySet().stream().sorted().toList();
  private static final List<String> BASES =
      List.of(
          SpelledTree.SUFFIX,
          SpelledTree.SUFFIX,
          SpelledTree.PARENTS.get(0),
          SpelledTree.PARENTS.get(1),
          "ou=deep," + SpelledTree.SUFFIX,
          "ou=deep," + SpelledTree.SUFFIX,
          "ou=deep," + SpelledTree.SUFFIX,
          SpelledTree.person(1),
          "c=DE," + SpelledTree.SUFFIX,
          "cn=a+sn=B," + SpelledTree.PARENTS.get(0),
          "cn=Smith\\, John \\+ Co," + SpelledTree.PARENTS.get(0),
          "cn=nobody," + SpelledTree.PARENTS.get(1),
          "homeDirectory=/a," + SpelledTree.PARENTS.get(1),
          "c=DEU," + SpelledTree.SUFFIX,
          "unknown=a," + SpelledTree.SUFFIX,
          "ou=nowhere",
          "");

  private final Random random;

  SearchGenerator(Random random) {
    this.random = random;
  }

  SearchOp search() {
    return search(filter(3));
  }

  private SearchOp search(FilterNode filter) {
    String base = pick(BASES);
    int scope = base.isEmpty() ? 0 : random.nextInt(3);
    return new SearchOp(
        base.getBytes(UTF_8), scope, 0, 0, 0, false, filter, List.of("1.1".getBytes(UTF_8)));
  }

  private FilterNode filter(int depth) {
    return switch (depth == 0 ? 9 : random.nextInt(10)) {
      case 0, 1 -> new FilterNode.And(members(depth));
      case 2, 3 -> new FilterNode.Or(members(depth));
      case 4 -> new FilterNode.Not(filter(depth - 1));
      default -> leaf();
    };
  }

  private List<FilterNode> members(int depth) {
    List<FilterNode> members = new ArrayList<>();
    for (int count = random.nextInt(4); count >= 0; count--) {
      members.add(filter(depth - 1));
    }
    return random.nextInt(20) == 0 ? List.of() : members;
  }

  private FilterNode leaf() {
    String name = pick(NAMES);
    String text = pick(VALUES.get(name));
    byte[] attribute = name.getBytes(UTF_8);
    byte[] value = text.getBytes(UTF_8);
    return switch (random.nextInt(12)) {
      case 0 -> new FilterNode.Present(attribute);
      case 1 -> new FilterNode.GreaterOrEqual(attribute, value);
      case 2 -> new FilterNode.LessOrEqual(attribute, value);
      case 3 -> new FilterNode.Approximate(attribute, value);
      case 4, 5 -> substrings(attribute, text);
      default -> new FilterNode.Equality(attribute, value);
    };
  }

  /** No part is empty: slapd would end the connection. */
  private FilterNode substrings(byte[] attribute, String text) {
    if (text.length() < 2) {
      return new FilterNode.Present(attribute);
    }
    int cut = text.length() / 2;
    byte[] head = text.substring(0, cut).getBytes(UTF_8);
    byte[] tail = text.substring(cut).getBytes(UTF_8);
    return switch (random.nextInt(4)) {
      case 0 -> new FilterNode.Substrings(attribute, head, List.of(), null);
      case 1 -> new FilterNode.Substrings(attribute, null, List.of(tail), null);
      case 2 -> new FilterNode.Substrings(attribute, null, List.of(), tail);
      default -> new FilterNode.Substrings(attribute, head, List.of(), tail);
    };
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
