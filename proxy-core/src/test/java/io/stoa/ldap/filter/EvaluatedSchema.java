// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Attribute types of every {@link ValueSyntax}, their subtypes, and a chain of object classes.
 * Immutable.
 */
final class EvaluatedSchema {
  static final String OID = "1.3.6.1.4.1.99999.7.";

  /**
   * Names of one attribute type, and what its values are.
   *
   * @param superior the number of the supertype; -1 if it has none
   */
  record Type(int number, List<String> names, ValueSyntax sort, String definition, int superior) {
    String oid() {
      return OID + number;
    }
  }

  static final List<Type> TYPES = types();

  static final List<String> CLASSES =
      List.of(
          classDefinition(201, "stoaA", "top", ""),
          classDefinition(202, "stoaB' 'stoaBee", "stoaA", ""),
          classDefinition(203, "stoaC", "stoaB", ""),
          classDefinition(204, "stoaD", "top", ""),
          classDefinition(205, "stoaAll", "top", " MAY ( " + names() + " )"));

  private EvaluatedSchema() {}

  private static List<Type> types() {
    List<Type> types = new ArrayList<>();
    for (ValueSyntax sort : ValueSyntax.values()) {
      String name = "stoa" + sort.name().replace("_", "").toLowerCase(Locale.ROOT);
      int number = types.size();
      types.add(type(number, List.of(name, name + "Alias"), sort, sort.rules(), -1));
      types.add(type(number + 1, List.of(name + "Sub"), sort, "SUP " + name, number));
    }
    types.add(
        type(
            types.size(),
            List.of("stoatextExactSub"),
            ValueSyntax.TEXT,
            "SUP stoatext EQUALITY caseExactMatch",
            0));
    return List.copyOf(types);
  }

  private static Type type(
      int number, List<String> names, ValueSyntax sort, String rules, int superior) {
    String quoted = String.join(" ", names.stream().map(name -> "'" + name + "'").toList());
    String definition = "( " + OID + number + " NAME ( " + quoted + " ) " + rules + " )";
    return new Type(number, names, sort, definition, superior);
  }

  private static String classDefinition(int number, String name, String superior, String tail) {
    return "( %s%d NAME ( '%s' ) SUP %s AUXILIARY%s )".formatted(OID, number, name, superior, tail);
  }

  private static String names() {
    return String.join(" $ ", TYPES.stream().map(type -> type.names().get(0)).toList());
  }

  /** Lines of slapd.conf. */
  static String slapdLines() {
    StringBuilder lines = new StringBuilder();
    TYPES.forEach(type -> lines.append("attributetype ").append(type.definition()).append('\n'));
    CLASSES.forEach(line -> lines.append("objectclass ").append(line).append('\n'));
    return lines.toString();
  }
}
