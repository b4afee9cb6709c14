// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import java.text.Normalizer;
import java.util.Locale;
import java.util.Random;

/** Other ways to write a value, some of which mean the same. Stateless. */
final class Spelling {
  private Spelling() {}

  /** The same for all values that any rule might take for one. */
  static String wide(String value) {
    String folded = Normalizer.normalize(value, Normalizer.Form.NFKD).toUpperCase(Locale.ROOT);
    return folded.replaceAll("[^\\p{L}\\p{N}]", "").replaceAll("^0+", "");
  }

  static String respelled(String value, Random random) {
    return switch (random.nextInt(12)) {
      case 0 -> value.toUpperCase(Locale.ROOT);
      case 1 -> value.toLowerCase(Locale.ROOT);
      case 2 -> value.replace(" ", "  ");
      case 3 -> " " + value;
      case 4 -> value + " ";
      case 5 -> Normalizer.normalize(value, Normalizer.Form.NFD);
      case 6 -> value + "x";
      case 7 -> value.isEmpty() ? value : value.substring(1);
      default -> value;
    };
  }
}
