// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats numbers for users. Threading: stateless. */
public final class Amounts {
  /** Text for an unknown value. */
  public static final String UNKNOWN = "-";

  private static final long KIB = 1024;
  private static final double MICROS_OF_MILLI = 1e3;
  private static final double MICROS_OF_SECOND = 1e6;
  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private Amounts() {}

  /** Formats a whole number, such as 12,345. */
  public static String count(@Nullable Long number) {
    return number == null ? UNKNOWN : String.format(Locale.ROOT, "%,d", number);
  }

  /** Formats a number of things, such as 1 client or 12,345 clients. */
  public static String count(@Nullable Long number, String noun) {
    return count(number) + " " + noun + (number != null && number == 1 ? "" : "s");
  }

  /** Formats a rate or a time, such as 12,345 or 0.27. */
  public static String decimal(@Nullable Double number) {
    if (number == null) {
      return UNKNOWN;
    }
    return String.format(Locale.ROOT, number < 10 && number > 0 ? "%.2f" : "%,.0f", number);
  }

  /** Formats a ratio, such as 83.1 %. */
  public static String percent(@Nullable Double share) {
    return share == null ? UNKNOWN : String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }

  /** Formats a number of octets, such as 12.3 MiB. */
  public static String octets(@Nullable Long octets) {
    if (octets == null || octets < KIB) {
      return octets == null ? UNKNOWN : octets + " bytes";
    }
    String[] units = {"KiB", "MiB", "GiB", "TiB"};
    double size = (double) octets / KIB;
    int unit = 0;
    while (size >= KIB && unit < units.length - 1) {
      size /= KIB;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", size, units[unit]);
  }

  /** Formats a short time, such as 850 us, 12.3 ms or 1.2 s. */
  public static String micros(@Nullable Double micros) {
    if (micros == null) {
      return UNKNOWN;
    }
    if (micros < MICROS_OF_MILLI) {
      return String.format(Locale.ROOT, "%.0f us", micros);
    }
    return micros < MICROS_OF_SECOND
        ? String.format(Locale.ROOT, "%.1f ms", micros / MICROS_OF_MILLI)
        : String.format(Locale.ROOT, "%.1f s", micros / MICROS_OF_SECOND);
  }

  /** Formats a time, such as 2 h 3 min. */
  public static String seconds(@Nullable Long seconds) {
    if (seconds == null) {
      return UNKNOWN;
    }
    if (seconds < MINUTE) {
      return seconds + " s";
    }
    if (seconds < HOUR) {
      return seconds / MINUTE + " min " + seconds % MINUTE + " s";
    }
    return seconds < DAY
        ? seconds / HOUR + " h " + seconds % HOUR / MINUTE + " min"
        : seconds / DAY + " d " + seconds % DAY / HOUR + " h";
  }

  /** Returns the ratio of a part to the whole; null if the whole is zero. */
  public static @Nullable Double share(long part, long whole) {
    return whole <= 0 ? null : rounded((double) part / whole);
  }

  /** Rounds to four decimal places, so that JSON has no meaningless digits. */
  public static double rounded(double number) {
    return Math.round(number * 10_000) / 10_000.0;
  }
}
