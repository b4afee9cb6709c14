// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Leftovers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The command behind {@code ./dev load}, in a process of its own. */
class ExperimentsCommandIT {
  private static final int SECONDS = 30;

  private record Ended(int status, String output) {}

  @Test
  void listsAllWithoutAName() throws Exception {
    Ended ended = run();
    assertThat(ended.status()).isZero();
    Experiments.ALL.forEach(
        one -> assertThat(ended.output()).contains("  " + one.name() + " ", one.about()));
  }

  @Test
  void unknownNameIsRefusedWithTheList() throws Exception {
    Ended ended = run("everything");
    assertThat(ended.status()).isEqualTo(2);
    assertThat(ended.output()).contains("there is no load test everything", "address-lookup");
  }

  private static Ended run(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(Experiments.class.getName());
    command.addAll(List.of(arguments));
    Process process = Leftovers.start(new ProcessBuilder(command).redirectErrorStream(true));
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
    return new Ended(process.exitValue(), output);
  }
}
