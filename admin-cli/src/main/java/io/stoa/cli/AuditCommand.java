// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.EntryValues;
import io.stoa.cli.client.StoaClient;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.client.StoactlExitCode;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.Shapes;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl audit}. Threading: one instance for each run. */
@Command(
    name = "audit",
    description =
        "Compares all results held by a change feed with the directory, and drops "
            + "those that differ. Exit code 6: some differed; 7: some could not be "
            + "compared.")
final class AuditCommand implements Callable<Integer> {
  private static final String ENTRY = "cn=Maintenance,cn=monitor";
  private static final String RUNNING = "running";
  private static final String NUMBER = "stoaFullAuditNumber";
  private static final String UNCOMPARED = "stoaFullAuditUncompared";
  private static final String DIFFERING = "stoaFullAuditDiffering";
  private static final Pattern DIGITS = Pattern.compile("\\d{1,18}");
  private static final long PAUSE_MILLIS = 200;

  /** Maximum time without progress, as a multiple of the timeout: 6. */
  private static final int MAX_STANDSTILL = 6;

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  private StoactlExitCode found = StoactlExitCode.DONE;

  @Override
  public Integer call() throws StoaException {
    stoactl.run(this::audit);
    return found.code();
  }

  private Report audit(StoaClient client) throws StoaException {
    long number = number(client, client.act(ENTRY, "audit"));
    EntryValues now = counters(client, number);
    ProgressWatchdog headway = new ProgressWatchdog(stoactl.timeout().multipliedBy(MAX_STANDSTILL));
    while (RUNNING.equals(now.text("stoaFullAuditState"))) {
      stoactl.printProgress(progress(now));
      headway.check(now);
      pause();
      now = counters(client, number);
    }
    long uncompared = now.count(UNCOMPARED);
    if (uncompared > 0) {
      reportIncomplete(reasons(now, uncompared));
    }
    if (now.count("stoaFullAuditResults") == 0 && !isAnyFeedLive(client)) {
      reportIncomplete("nothing was compared: no feed is live (see 'stoactl feeds list')");
    }
    return Shapes.AUDIT.one(now);
  }

  /** Detects a comparison that makes no progress. Threading: not thread-safe. */
  private final class ProgressWatchdog {
    private final Duration timeout;
    private long done = -1;
    private long since = System.nanoTime();

    ProgressWatchdog(Duration timeout) {
      this.timeout = timeout;
    }

    void check(EntryValues now) throws StoaException {
      long ended = Shapes.compared(now) + now.count(UNCOMPARED);
      if (ended != done) {
        done = ended;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > timeout.toNanos()) {
        throw new StoaException(
            incompleteCode(),
            "no progress for %d s, stoactl stops waiting; Stoa continues the comparison: %s"
                .formatted(timeout.toSeconds(), progress(now)));
      }
    }
  }

  /**
   * Returns the number of the comparison, from Stoa's answer. The entry may already show the next
   * one.
   */
  private static long number(StoaClient client, String text) throws StoaException {
    Matcher digits = DIGITS.matcher(text);
    return digits.find() ? Long.parseLong(digits.group()) : client.entry(ENTRY, "+").count(NUMBER);
  }

  /**
   * Returns the present counters of this comparison. The counters are lost as soon as another one
   * begins.
   */
  private EntryValues counters(StoaClient client, long number) throws StoaException {
    EntryValues now = client.entry(ENTRY, "+");
    if (now.count(NUMBER) != number) {
      throw new StoaException(
          incompleteCode(),
          "another comparison has begun, so the final result of this one is unknown");
    }
    found = now.count(DIFFERING) > 0 ? StoactlExitCode.DIFFERS : found;
    return now;
  }

  private static boolean isAnyFeedLive(StoaClient client) throws StoaException {
    return FeedsCommand.all(client).stream()
        .anyMatch(feed -> "live".equals(feed.text("stoaFeedState")));
  }

  /** Returns the exit code if not everything was compared. Differences take precedence. */
  private StoactlExitCode incompleteCode() {
    return found == StoactlExitCode.DIFFERS ? found : StoactlExitCode.UNCOMPARED;
  }

  private void reportIncomplete(String reason) {
    found = incompleteCode();
    stoactl.remark(reason);
  }

  private static String progress(EntryValues now) {
    return Shapes.compared(now)
        + " compared, "
        + now.count(DIFFERING)
        + " differ, "
        + now.count(UNCOMPARED)
        + " not compared";
  }

  private static String reasons(EntryValues now, long uncompared) {
    long alone = now.count("stoaFullAuditWithoutClient");
    return ("%d of %d results could not be compared: for %d no client with their "
                + "identity is connected, %d")
            .formatted(uncompared, now.count("stoaFullAuditResults"), alone, uncompared - alone)
        + " changed in the meantime or were not answered";
  }

  private static void pause() throws StoaException {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw StoaException.refused("interrupted; Stoa continues the comparison");
    }
  }
}
