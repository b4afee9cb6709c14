// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.ExitCode;
import io.stoa.cli.client.Facts;
import io.stoa.cli.client.StoaClient;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.Shapes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl verify}. Not thread-safe: one for each run. */
@Command(
    name = "verify",
    description =
        "Compares everything in memory that rests on a feed with the directory, drops what differs,"
            + " and ends with 6 if anything did.")
final class VerifyCommand implements Callable<Integer> {
  private static final String ENTRY = "cn=Upkeep,cn=monitor";
  private static final String DONE = "done";
  private static final long PAUSE_MILLIS = 200;

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  private boolean differs;

  @Override
  public Integer call() throws StoaException {
    int code = stoactl.run(this::verify);
    return differs ? ExitCode.DIFFERS.code() : code;
  }

  private Report verify(StoaClient client) throws StoaException {
    client.act(ENTRY, "verify");
    Facts now = client.entry(ENTRY, "+");
    long number = now.count("stoaVerifyNumber");
    while (number == now.count("stoaVerifyNumber") && !DONE.equals(now.text("stoaVerifyState"))) {
      stoactl.progress(progress(now));
      pause();
      now = client.entry(ENTRY, "+");
    }
    differs = now.count("stoaVerifyDiffering") > 0;
    return Shapes.VERIFICATION.one(now);
  }

  private static String progress(Facts now) {
    long compared =
        now.count("stoaVerifyVerified")
            + now.count("stoaVerifyDiffering")
            + now.count("stoaVerifyUnverifiable");
    return compared + " compared, " + now.count("stoaVerifyDiffering") + " differ";
  }

  private static void pause() throws StoaException {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw StoaException.unknown("interrupted; the comparison goes on");
    }
  }
}
