// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Formats of numbers in advice. Threading: stateless. */
final class NumberFormats {
  private static final double HUNDRED = 100;
  private static final long MEBI = 1 << 20;

  private NumberFormats() {}

  /** Returns a share from 0 to 1 in percent, with one decimal. */
  static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f%%", share * HUNDRED);
  }

  static String percent(long part, long of) {
    return percent(of == 0 ? 0 : (double) part / of);
  }

  static String millis(Duration time) {
    return String.format(
        Locale.ROOT, "%.2f ms", (double) time.toNanos() / TimeUnit.MILLISECONDS.toNanos(1));
  }

  static String seconds(Duration time) {
    return String.format(
        Locale.ROOT, "%.1f s", (double) time.toNanos() / TimeUnit.SECONDS.toNanos(1));
  }

  /** Returns octets in MiB, rounded up. */
  static String mebibytes(long octets) {
    return (octets + MEBI - 1) / MEBI + " MiB";
  }

  /** Returns a mean, with one decimal. */
  static String mean(long sum, long count) {
    return String.format(Locale.ROOT, "%.1f", count == 0 ? 0 : (double) sum / count);
  }
}
