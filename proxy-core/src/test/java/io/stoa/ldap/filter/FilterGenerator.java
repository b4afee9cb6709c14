// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.FilterNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Random filters over an {@link EvaluatedTree}. Single-threaded. */
final class FilterGenerator {
  private static final List<String> CLASSES =
      List.of(
          "top",
          "person",
          "PERSON",
          "2.5.6.6",
          "stoaA",
          "stoaB",
          "stoaBee",
          "stoaC",
          "stoaD",
          EvaluatedSchema.OID + 203,
          "none",
          "9.9.9",
          "organizationalUnit");

  private static final List<EvaluatedSchema.Type> COMPARED =
      EvaluatedSchema.TYPES.stream()
          .filter(type -> type.sort() != ValueSyntax.WITHOUT_RULE)
          .toList();

  private final Random random;
  private final boolean usual;

  /**
   * @param usual what clients ask: equality, presence, conjunctions and disjunctions, of values as
   *     they are
   */
  FilterGenerator(Random random, boolean usual) {
    this.random = random;
    this.usual = usual;
  }

  FilterNode filter() {
    return filter(3);
  }

  private FilterNode filter(int depth) {
    return switch (depth == 0 ? 9 : random.nextInt(10)) {
      case 0, 1 -> new FilterNode.And(members(depth));
      case 2, 3 -> new FilterNode.Or(members(depth));
      case 4 -> usual ? leaf() : new FilterNode.Not(filter(depth - 1));
      default -> leaf();
    };
  }

  private List<FilterNode> members(int depth) {
    List<FilterNode> members = new ArrayList<>();
    for (int count = random.nextInt(4); count >= 0; count--) {
      members.add(filter(depth - 1));
    }
    return !usual && random.nextInt(20) == 0 ? List.of() : members;
  }

  private FilterNode leaf() {
    EvaluatedSchema.Type type = pick(usual ? COMPARED : EvaluatedSchema.TYPES);
    String value = value(type);
    byte[] name = name(type).getBytes(UTF_8);
    byte[] octets = value.getBytes(UTF_8);
    return switch (usual ? random.nextInt(8) : random.nextInt(16)) {
      case 0 -> new FilterNode.Present(name);
      case 1 -> new FilterNode.Equality("objectClass".getBytes(UTF_8), classValue());
      case 8 -> new FilterNode.GreaterOrEqual(name, octets);
      case 9 -> new FilterNode.LessOrEqual(name, octets);
      case 10, 11, 12 -> substrings(name, value);
      case 13 -> other(octets);
      case 14 -> new FilterNode.Equality("entryDN".getBytes(UTF_8), dn());
      default -> new FilterNode.Equality(name, octets);
    };
  }

  private byte[] dn() {
    int number = random.nextInt(12);
    String dn = "cn=Entry " + number + "," + pick(EvaluatedTree.PARENTS);
    return Spelling.respelled(dn, random).getBytes(UTF_8);
  }

  private FilterNode other(byte[] value) {
    return switch (random.nextInt(4)) {
      case 0 -> new FilterNode.Approximate("stoatext".getBytes(UTF_8), value);
      case 1 -> new FilterNode.Equality("unknown".getBytes(UTF_8), value);
      case 2 -> new FilterNode.Present("unknown".getBytes(UTF_8));
      default -> new FilterNode.Extensible(null, "stoatext".getBytes(UTF_8), value, false);
    };
  }

  private byte[] classValue() {
    return pick(usual ? CLASSES.subList(0, 9) : CLASSES).getBytes(UTF_8);
  }

  private String value(EvaluatedSchema.Type type) {
    if (usual) {
      return pick(type.sort().samples().stream().filter(EvaluatedTree::isPlain).toList());
    }
    ValueSyntax sort = random.nextInt(12) == 0 ? pick(List.of(ValueSyntax.values())) : type.sort();
    return Spelling.respelled(pick(sort.samples()), random);
  }

  private String name(EvaluatedSchema.Type type) {
    if (usual) {
      return type.names().get(0);
    }
    String name =
        switch (random.nextInt(6)) {
          case 0 -> type.oid();
          case 1 -> type.names().get(0).toUpperCase(Locale.ROOT);
          default -> pick(type.names());
        };
    return switch (random.nextInt(12)) {
      case 0 -> name + ";lang-de";
      case 1 -> name + ";x-none";
      default -> name;
    };
  }

  /** No part is empty: slapd would end the connection. */
  private FilterNode substrings(byte[] attribute, String text) {
    int[] points = text.codePoints().toArray();
    if (points.length < 2) {
      return new FilterNode.Present(attribute);
    }
    int cut = 1 + random.nextInt(points.length - 1);
    byte[] head = new String(points, 0, cut).getBytes(UTF_8);
    byte[] tail = new String(points, cut, points.length - cut).getBytes(UTF_8);
    return switch (random.nextInt(5)) {
      case 0 -> new FilterNode.Substrings(attribute, head, List.of(), null);
      case 1 -> new FilterNode.Substrings(attribute, null, List.of(tail), null);
      case 2 -> new FilterNode.Substrings(attribute, null, List.of(), tail);
      case 3 -> new FilterNode.Substrings(attribute, null, List.of(head, tail), null);
      default -> new FilterNode.Substrings(attribute, head, List.of(), tail);
    };
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
