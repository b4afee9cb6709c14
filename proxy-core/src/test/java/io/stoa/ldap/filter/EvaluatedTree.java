// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.Ldif;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Entries that hold values of every {@link ValueSyntax}, spelled in many ways. Immutable. */
final class EvaluatedTree {
  static final String SUFFIX = "dc=example,dc=com";
  static final List<String> PARENTS =
      List.of(SUFFIX, "ou=people,dc=example,dc=com", "ou=Two  Words,ou=people,dc=example,dc=com");
  private static final int PEOPLE = 110;

  private EvaluatedTree() {}

  /**
   * @param plain only values that every directory takes
   */
  static List<Entry> entries(Random random, boolean plain) {
    List<Entry> entries = new ArrayList<>();
    entries.add(
        new Entry(
            SUFFIX, new Attribute("objectClass", "top", "domain"), new Attribute("dc", "example")));
    entries.add(unit(PARENTS.get(1), "people"));
    entries.add(unit(PARENTS.get(2), "Two  Words"));
    for (int number = 0; number < PEOPLE; number++) {
      entries.add(person(number, random, plain));
    }
    return entries;
  }

  private static Entry unit(String dn, String name) {
    return new Entry(
        dn, new Attribute("objectClass", "top", "organizationalUnit"), new Attribute("ou", name));
  }

  private static Entry person(int number, Random random, boolean plain) {
    String dn = rdn(number) + "," + PARENTS.get(number % PARENTS.size());
    Entry entry = new Entry(dn);
    entry.addAttribute("objectClass", classes(random));
    entry.addAttribute("sn", "Person" + number % 7);
    entry.addAttribute("cn", name(number));
    for (EvaluatedSchema.Type type : EvaluatedSchema.TYPES) {
      if (random.nextInt(3) == 0) {
        add(entry, type, random, plain);
      }
    }
    return entry;
  }

  private static String rdn(int number) {
    String second = number % 5 == 2 ? "+sn=Person" + number % 7 : "";
    return "cn=" + name(number) + second;
  }

  private static String name(int number) {
    return switch (number % 5) {
      case 0 -> "M\u00fcller " + number;
      case 1 -> "Stra\u00dfe " + number;
      default -> "Entry " + number;
    };
  }

  private static List<String> classes(Random random) {
    List<String> classes = new ArrayList<>(List.of("top", "person", "stoaAll"));
    switch (random.nextInt(5)) {
      case 0 -> classes.add("stoaA");
      case 1 -> classes.addAll(List.of("stoaA", "stoaB"));
      case 2 -> classes.add("STOAC");
      case 3 -> classes.add("stoaD");
      default -> {}
    }
    return classes;
  }

  /** No two values that the directory might take for one, which it would refuse. */
  private static void add(Entry entry, EvaluatedSchema.Type type, Random random, boolean plain) {
    List<String> values = type.sort().samples();
    int count = type.sort() == ValueSyntax.WITHOUT_RULE ? 1 : 1 + random.nextInt(2);
    Set<String> chosen = new LinkedHashSet<>();
    Set<Object> keys = new LinkedHashSet<>();
    for (int tries = 0; chosen.size() < count && tries < 9; tries++) {
      String value = values.get(random.nextInt(values.size()));
      if ((!plain || isPlain(value)) && keys.add(Spelling.wide(value))) {
        chosen.add(value);
      }
    }
    String option = random.nextInt(6) == 0 ? ";lang-de" : "";
    if (!chosen.isEmpty()) {
      entry.addAttribute(type.names().get(0) + option, chosen);
    }
  }

  static boolean isPlain(String value) {
    return value.chars().allMatch(c -> c >= ' ' && c <= '~')
        && value.equals(value.strip())
        && !value.contains("  ")
        && !value.contains(" ,")
        && !value.contains("#")
        && !value.contains("+0100")
        && !value.contains(".0Z");
  }

  static Ldif ldif(List<Entry> entries) {
    Ldif ldif = new Ldif();
    for (Entry entry : entries) {
      List<String> lines = new ArrayList<>();
      for (Attribute attribute : entry.getAttributes()) {
        for (byte[] value : attribute.getValueByteArrays()) {
          lines.add(attribute.getName() + ":: " + Base64.getEncoder().encodeToString(value));
        }
      }
      ldif.entry(ascii(entry.getDN()), lines.toArray(String[]::new));
    }
    return ldif;
  }

  /** Escaped as RFC 4514 allows. */
  private static String ascii(String dn) {
    StringBuilder text = new StringBuilder();
    for (byte octet : dn.getBytes(UTF_8)) {
      text.append(octet < 0 ? "\\%02X".formatted(octet & 0xff) : String.valueOf((char) octet));
    }
    return text.toString();
  }
}
