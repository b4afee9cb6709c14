// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import java.util.Locale;

/**
 * Numbers of things in texts for administrators: {@code 1 change}, {@code 2 changes}.
 *
 * <p>Threading: stateless.
 */
public final class Plural {
  private Plural() {}

  /** Returns the number and the noun, with an s except for 1. */
  public static String of(long number, String noun) {
    return of(number, noun, noun + "s");
  }

  /** Returns the number and the noun in its form for this number. */
  public static String of(long number, String one, String many) {
    return String.format(Locale.ROOT, "%d %s", number, number == 1 ? one : many);
  }
}
