// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Random choices that follow from a seed. Confined to the thread of the test. */
final class RandomChoices {
  private final Random random;

  RandomChoices(long seed) {
    this.random = new Random(seed);
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  boolean oneIn(int count) {
    return random.nextInt(count) == 0;
  }

  <T> T of(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  /** Up to so many, perhaps one of them twice. */
  <T> List<T> some(List<T> all, int max) {
    List<T> some = new ArrayList<>();
    for (int i = random.nextInt(max + 1); i > 0; i--) {
      some.add(of(all));
    }
    return some;
  }

  /** Another spelling of the same name. */
  String respelled(String dn) {
    return switch (random.nextInt(14)) {
      case 0 -> dn.toUpperCase(Locale.ROOT);
      case 1 -> dn.replace(",", ", ");
      case 2 -> dn.replace("=", " = ");
      case 3 -> escaped(dn);
      case 4 -> dn.replace("uid=", "0.9.2342.19200300.100.1.1=").replace("cn=", "2.5.4.3=");
      case 5 -> dn.replace("ou=", "organizationalUnitName=");
      default -> dn;
    };
  }

  /** Writes the first octet of the first value in hexadecimal. */
  private static String escaped(String dn) {
    int value = dn.indexOf('=') + 1;
    return value == 0 || value >= dn.length()
        ? dn
        : dn.substring(0, value)
            + String.format(Locale.ROOT, "\\%02x", (int) dn.charAt(value))
            + dn.substring(value + 1);
  }

  /** Another spelling of the name of an attribute. */
  String cased(String name) {
    return oneIn(6) ? name.toUpperCase(Locale.ROOT) : name;
  }
}
