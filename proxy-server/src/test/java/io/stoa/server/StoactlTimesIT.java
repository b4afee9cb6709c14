// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.Soak;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How long each command of the packed stoactl takes, from its start to its end, on a Stoa whose
 * clients search and write meanwhile. Only the long form judges that; the short one sees that each
 * is done.
 */
@Tag("soak")
class StoactlTimesIT {
  private static final Path LAUNCHER = Path.of("target/dist/stoa/bin/stoactl").toAbsolutePath();
  private static final int RUNS = Soak.scale(1, 15);
  private static final double MAX_MILLIS = 500;
  private static final String SERVER = "SERVER";
  private static final String CLIENT = "CLIENT";

  /** In an order that leaves Stoa as it was. */
  private static final List<String> COMMANDS =
      List.of(
          "status",
          "top --count 1 --interval 0.1",
          "backends list",
          "backends show SERVER",
          "backends drain SERVER",
          "backends resume SERVER",
          "backends reconnect SERVER",
          "backends weight SERVER 2",
          "clients list",
          "clients show CLIENT",
          "clients disconnect CLIENT",
          "cache stats",
          "cache explain " + People.PEOPLE + " sub (uid=user.1)",
          "cache flush --entry " + People.dn(1),
          "cache flush --all",
          "cache off",
          "cache on",
          "windows list",
          "windows flush people",
          "windows pause people",
          "windows resume people",
          "config get",
          "config set cache.maxAge 5s",
          "config unset cache.maxAge",
          "config diff",
          "config reload",
          "completion");

  @Test
  void eachCommandIsOverWithinHalfASecond() {
    List<String> slow = new ArrayList<>();
    try (StoaUnderLoad stoa = StoaUnderLoad.start()) {
      warm(stoa);
      Soak.record("command: median ms of " + RUNS + ", slowest");
      for (String command : COMMANDS) {
        double[] millis = millis(stoa, command);
        double median = millis[RUNS / 2];
        record(command, millis);
        if (median > MAX_MILLIS) {
          slow.add(command + " " + median);
        }
      }
    }
    if (Soak.isLong()) {
      assertThat(slow).isEmpty();
    }
  }

  /** Each run ends a Stoa of its own. */
  @Test
  void shutdownIsOverWithinHalfASecond() {
    double[] millis = new double[Soak.scale(1, 5)];
    for (int i = 0; i < millis.length; i++) {
      try (StoaUnderLoad stoa = StoaUnderLoad.start()) {
        warm(stoa);
        millis[i] = run(stoa, "shutdown --yes");
      }
    }
    Arrays.sort(millis);
    record("shutdown --yes", millis);
    if (Soak.isLong()) {
      assertThat(millis[millis.length / 2]).isLessThan(MAX_MILLIS);
    }
  }

  /** A Java that has just started compiles what it runs; administrators seldom ask one of those. */
  private static void warm(StoaUnderLoad stoa) {
    Await.until(
        "Stoa is warm", Duration.ofMinutes(2), () -> stoa.answered() > Soak.scale(200, 20_000));
    for (int i = 0; i < Soak.scale(1, 10); i++) {
      run(stoa, "status");
    }
  }

  private static void record(String command, double[] millis) {
    Soak.record(
        String.format(
            Locale.ROOT,
            "%s: %.0f, %.0f",
            command,
            millis[millis.length / 2],
            millis[millis.length - 1]));
  }

  private static double[] millis(StoaUnderLoad stoa, String command) {
    double[] millis = new double[RUNS];
    for (int i = 0; i < RUNS; i++) {
      millis[i] = run(stoa, command);
    }
    Arrays.sort(millis);
    return millis;
  }

  private static double run(StoaUnderLoad stoa, String command) {
    String words = command.replace(SERVER, stoa.backends().get(1));
    if (command.endsWith(CLIENT)) {
      words = words.replace(CLIENT, anyClient(stoa));
    }
    List<String> line =
        Stream.concat(Stream.of(LAUNCHER.toString()), Stream.of(words.split(" "))).toList();
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().put("STOACTL_URI", stoa.uri());
    long begun = System.nanoTime();
    CommandRun run = CommandRun.of(builder);
    double millis = (System.nanoTime() - begun) / 1e6;
    assertThat(run.exitCode()).as(command + ": " + run.output()).isZero();
    return millis;
  }

  private static String anyClient(StoaUnderLoad stoa) {
    return stoa.json("clients", "list").getFieldAsArray("clients").stream()
        .map(JSONObject.class::cast)
        .filter(one -> String.valueOf(one.getFieldAsString("identity")).endsWith(People.PEOPLE))
        .map(one -> one.getFieldAsLong("number").toString())
        .findFirst()
        .orElseThrow();
  }
}
