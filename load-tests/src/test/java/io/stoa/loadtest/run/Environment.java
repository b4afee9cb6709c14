// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The environment of a run: machine, versions and options. Threading: stateless. */
final class Environment {
  private static final int SECONDS = 10;

  private Environment() {}

  static List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("date: " + Instant.now().truncatedTo(ChronoUnit.MINUTES));
    lines.add(
        "commit: "
            + first("git", "-C", Repository.root().toString(), "describe", "--always", "--dirty"));
    lines.add(
        "machine: "
            + Runtime.getRuntime().availableProcessors()
            + " processors, "
            + processor()
            + ", "
            + memory());
    lines.add(
        "system: "
            + System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"));
    lines.add(
        "slapd: "
            + first(
                "sh", "-c", "PATH=$PATH:/usr/sbin slapd -VV 2>&1 | grep -o 'slapd [0-9][0-9.]*'"));
    lines.add(
        "Java: "
            + System.getProperty("java.vm.name")
            + " "
            + System.getProperty("java.runtime.version"));
    lines.add("Stoa's Java options: " + StoaServer.JVM_OPTIONS + ", beside those of bin/stoa");
    lines.add("the generator's Java options: " + String.join(" ", options()));
    lines.add("the canned server's Java options: " + CannedServer.JVM_OPTIONS);
    lines.add("Gatling: " + version("gatling-core-"));
    lines.add("Netty: " + version("netty-common-"));
    return lines;
  }

  private static String version(String jar) {
    return Arrays.stream(System.getProperty("java.class.path").split(":"))
        .map(path -> Path.of(path).getFileName().toString())
        .filter(name -> name.matches(jar + "[0-9].*"))
        .map(name -> name.substring(jar.length()).replace(".jar", ""))
        .findFirst()
        .orElse("unknown");
  }

  private static String processor() {
    return field("/proc/cpuinfo", "model name");
  }

  private static String memory() {
    return field("/proc/meminfo", "MemTotal").replaceAll("\\s+", " ") + " of memory";
  }

  private static String field(String file, String name) {
    try {
      return Files.readAllLines(Path.of(file)).stream()
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }

  /** Returns the load averages of 1, 5 and 15 minutes. */
  static String load() {
    try {
      return Files.readString(Path.of("/proc/loadavg")).strip();
    } catch (IOException e) {
      return "unknown";
    }
  }

  private static List<String> options() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("-X") || option.startsWith("-Dio.netty"))
        .toList();
  }

  private static String first(String... command) {
    return output(command).stream().findFirst().orElse("unknown");
  }

  /** Returns the output of a command as lines; empty if it does not end in time. */
  static List<String> output(String... command) {
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
      return ended ? output.lines().toList() : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
