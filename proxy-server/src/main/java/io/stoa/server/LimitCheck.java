// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.proxy.ProxyConfig;
import io.stoa.proxy.preflight.PreflightFinding;
import io.stoa.proxy.preflight.PreflightFinding.CheckOutcome;
import java.util.ArrayList;
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

  /** Returns the findings about open files and memory. */
  static List<PreflightFinding> of(ProxyConfig config, Budgets budgets) {
    ProxyConfig within = budgets.within(config);
    List<PreflightFinding> findings = new ArrayList<>();
    String files = budgets.openFiles() <= 0 ? "no limit" : budgets.openFiles() + " (ulimit -n)";
    String raise = "raise the limit (ulimit -n, or LimitNOFILE of systemd), or lower the key";
    findings.add(
        compare(
            "open files",
            "limits.connections",
            config.limits().connections(),
            within.limits().connections(),
            files,
            raise));
    findings.add(
        compare(
            "open files",
            "upstream.maxConnections",
            config.upstream().maxConnections(),
            within.upstream().maxConnections(),
            files,
            raise));
    findings.add(
        compare(
            "direct memory",
            "limits.requestMemory",
            config.limits().requestMemory(),
            within.limits().requestMemory(),
            mebibytes(budgets.directMemory()),
            "raise STOA_MEMORY (or -XX:MaxDirectMemorySize), or lower the key"));
    findings.add(
        new PreflightFinding(
            SUBJECT,
            "heap",
            CheckOutcome.OK,
            mebibytes(Runtime.getRuntime().maxMemory())
                + " (STOA_MEMORY), in this shell; the unit of the service has its own",
            ""));
    return findings;
  }

  private static PreflightFinding compare(
      String check, String key, long configured, long within, String limit, String remedy) {
    String text = key + " = " + (configured == 0 ? "0 (automatic)" : configured);
    return configured == within
        ? new PreflightFinding(
            SUBJECT, check, CheckOutcome.OK, text + " fits the limit: " + limit, "")
        : new PreflightFinding(
            SUBJECT,
            check,
            CheckOutcome.WARNING,
            text + " does not fit the limit: " + limit + "; a start would lower it to " + within,
            remedy);
  }

  private static String mebibytes(long octets) {
    return String.format(Locale.ROOT, "%.0f MiB", octets / MEBI);
  }
}
