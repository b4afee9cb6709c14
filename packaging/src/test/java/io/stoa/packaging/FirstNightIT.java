// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.FreePort;
import io.stoa.testing.GuideShell;
import io.stoa.testing.GuideStep;
import io.stoa.testing.Leftovers;
import io.stoa.testing.People;
import io.stoa.testing.Slapd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The guide for the first night, with the package, a real systemd, slapd and Prometheus. */
class FirstNightIT {
  private static final String GUIDE = "docs/guides/first-night.md";
  private static final String STOP = "ssh ldap2.example.com systemctl stop slapd";
  private static final String START = "ssh ldap2.example.com systemctl start slapd";
  private static final String PROMETHEUS = "/etc/default/prometheus";
  private static final String DIRECTORY_LOG = "/var/log/slapd.log";

  /** StoaServerDown is raised after a minute. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final Slapd first = Slapd.start(People.slapd(20));
  private final Slapd second = Slapd.start(People.slapd(20));
  private final String prometheus = "127.0.0.1:" + FreePort.next();
  private final Path directory = Leftovers.directory("stoa-night");
  private BootedSystem system;

  @BeforeEach
  void boot() throws IOException {
    first.logOperations();
    second.logOperations();
    system = BootedSystem.boot();
    system.run("systemctl", "start", "systemd-journald.service").ok();
  }

  @AfterEach
  void close() {
    system.close();
    first.close();
    second.close();
    Leftovers.delete(directory);
  }

  @Test
  void everyCommandOfTheGuideDoesAsItSays() throws Exception {
    Path deb = Packages.assemble(directory).deb();
    Files.write(system.path("/tmp/stoa.deb"), Files.readAllBytes(deb));
    Files.writeString(
        system.path(PROMETHEUS), "ARGS=\"--web.listen-address=" + prometheus + "\"\n");
    List<GuideStep> steps = GuideStep.of(GUIDE);
    assertThat(steps).hasSizeGreaterThan(25);
    String[] bash = system.inside("bash").toArray(String[]::new);
    try (GuideShell shell = new GuideShell(localNames(), bash)) {
      for (GuideStep step : steps) {
        assertStep(shell, step);
      }
    }
  }

  private void assertStep(GuideShell shell, GuideStep step) throws IOException {
    switch (step.command()) {
      case STOP -> second.stop();
      case START -> second.restart();
      default -> {
        copyDirectoryLog();
        assertThat(isRepeated(step) ? repeat(shell, step) : run(shell, step))
            .as(step.command())
            .isEqualTo(code(step));
      }
    }
  }

  private static int run(GuideShell shell, GuideStep step) throws IOException {
    step.compare(shell.run(step.command()));
    return shell.code();
  }

  /** Runs a command that only reads until it prints what the guide shows. */
  private static int repeat(GuideShell shell, GuideStep step) {
    AtomicReference<List<String>> last = new AtomicReference<>(List.of());
    try {
      Await.until(
          step.command(),
          PATIENCE,
          () -> {
            last.set(shell.run(step.command()));
            return step.matches(last.get()) && shell.code() == code(step);
          });
    } catch (AssertionError late) {
      step.compare(last.get());
    }
    return shell.code();
  }

  private static boolean isRepeated(GuideStep step) {
    return List.of("grep", "promtool query", "openssl s_client", "stoactl backends list").stream()
        .anyMatch(step.command()::startsWith);
  }

  /** Only a refused bind is to fail. */
  private static int code(GuideStep step) {
    return step.printed().contains("ldap_bind: Invalid credentials (49)") ? 49 : 0;
  }

  /** The log is on another machine in the guide. */
  private void copyDirectoryLog() throws IOException {
    Files.writeString(system.path(DIRECTORY_LOG), first.log() + second.log());
  }

  private Map<String, String> localNames() {
    String address = "127.0.0.1:" + FreePort.next();
    String secure = "127.0.0.1:" + FreePort.next();
    Map<String, String> here = new HashMap<>();
    here.put("./dist/stoa_*_all.deb", "/tmp/stoa.deb");
    here.put("ldap://ldap1.example.com:389", first.url());
    here.put("ldap://ldap2.example.com:389", second.url());
    here.put("ldap://ldap1.example.com", first.url());
    here.put("ldap://ldap2.example.com", second.url());
    here.put("0.0.0.0:389", address);
    here.put("ldap://stoa.example.com", "ldap://" + address);
    here.put("0.0.0.0:636", secure);
    here.put("stoa.example.com:636", secure);
    here.put("127.0.0.1:9389", "127.0.0.1:" + FreePort.next());
    here.put("127.0.0.1:9090", prometheus);
    return here;
  }
}
