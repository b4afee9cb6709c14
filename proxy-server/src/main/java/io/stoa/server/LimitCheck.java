// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.proxy.ProxyConfig;
import io.stoa.proxy.preflight.PreflightFinding;
import io.stoa.proxy.preflight.PreflightFinding.CheckOutcome;
import java.util.List;
import java.util.Locale;

/**
 * Compares the limits of a configuration with those of this process, as a start would lower them.
 *
 * <p>Threading: stateless.
 */
final class LimitCheck {
  private static final String SUBJECT = "this process";
  private static final double MEBI = 1024.0 * 1024.0;

  private LimitCheck() {}

  /**
   * A limit of the process.
   *
   * <p>Threading: immutable.
   *
   * @param check the name of the check
   * @param text the limit in words
   * @param remedy the action if a key does not fit
   */
  private record ProcessLimit(String check, String text, String remedy) {
    PreflightFinding compare(String key, long configured, long within) {
      String value = key + " = " + (configured == 0 ? "0 (automatic)" : configured);
      return configured == within
          ? new PreflightFinding(
              SUBJECT, check, CheckOutcome.OK, value + " fits the limit: " + text, "")
          : new PreflightFinding(
              SUBJECT,
              check,
              CheckOutcome.WARNING,
              value + " does not fit the limit: " + text + "; a start would lower it to " + within,
              remedy);
    }
  }

  /** Returns the findings about open files and memory. */
  static List<PreflightFinding> of(ProxyConfig config, Budgets budgets) {
    ProxyConfig within = budgets.within(config);
    ProcessLimit files =
        new ProcessLimit(
            "open files",
            budgets.openFiles() <= 0 ? "no limit" : budgets.openFiles() + " (ulimit -n)",
            "raise the limit (ulimit -n, or LimitNOFILE of systemd), or lower the key");
    ProcessLimit memory =
        new ProcessLimit(
            "direct memory",
            mebibytes(budgets.directMemory()),
            "raise STOA_MEMORY (or -XX:MaxDirectMemorySize), or lower the key");
    String heap =
        mebibytes(Runtime.getRuntime().maxMemory())
            + " (STOA_MEMORY), in this shell; the unit of the service has its own";
    return List.of(
        files.compare(
            "limits.connections", config.limits().connections(), within.limits().connections()),
        files.compare(
            "upstream.maxConnections",
            config.upstream().maxConnections(),
            within.upstream().maxConnections()),
        memory.compare(
            "limits.requestMemory",
            config.limits().requestMemory(),
            within.limits().requestMemory()),
        new PreflightFinding(SUBJECT, "heap", CheckOutcome.OK, heap, ""));
  }

  private static String mebibytes(long octets) {
    return String.format(Locale.ROOT, "%.0f MiB", octets / MEBI);
  }
}
