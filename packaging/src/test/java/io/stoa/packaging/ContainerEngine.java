// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.Leftovers;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Podman with runc, with images, containers and settings in a mount namespace, so that they are
 * gone with it. Containers have the network of the machine, and a control group with a limit of
 * memory. Needs root, and a machine that lets it create control groups. Not thread-safe.
 */
final class ContainerEngine implements AutoCloseable {
  private static final String SCRIPT =
      """
      set -e
      mount -t tmpfs tmpfs /run
      mount -t tmpfs tmpfs "$1"
      mkdir "$1/bin"
      touch "$1/up"
      exec sleep 900
      """;
  private static final String CONTAINERS =
      """
      [containers]
      netns = "host"
      default_ulimits = ["nofile=%1$s:%1$s", "nproc=8192:8192"]
      [engine]
      cgroup_manager = "cgroupfs"
      events_logger = "file"
      runtime = "runc"
      """;
  private static final String STORAGE =
      """
      [storage]
      driver = "overlay"
      graphroot = "%1$s/images"
      runroot = "/run/images"
      """;
  private static final String REMOVE_GROUPS =
      "find /sys/fs/cgroup -depth -type d -path '*/libpod_parent*' -exec rmdir {} + 2>/dev/null";
  private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  private final Path home = Leftovers.directory("stoa-containers");
  private final Path log = home.resolveSibling(home.getFileName() + ".log");
  private final Process holder;

  private ContainerEngine() throws IOException {
    List<String> command =
        List.of("unshare", "--mount", "--propagation", "private", "sh", "-c", SCRIPT, "sh");
    List<String> all = new ArrayList<>(command);
    all.add(home.toString());
    holder =
        Leftovers.start(
            new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(log.toFile()));
  }

  static ContainerEngine start() throws IOException {
    ContainerEngine engine = new ContainerEngine();
    Path up = engine.path("up");
    Await.until("the engine is up", () -> Files.exists(up) || !engine.holder.isAlive());
    if (!engine.holder.isAlive()) {
      String output = Files.readString(engine.log);
      engine.close();
      throw new AssertionError("no file system can be mounted; run the test as root. " + output);
    }
    // Podman raises limits by default, for which the tests may have no privilege.
    Files.writeString(engine.path("containers.conf"), CONTAINERS.formatted(openFiles()));
    Files.writeString(engine.path("storage.conf"), STORAGE.formatted(engine.home));
    return engine;
  }

  /** The maximum number of open files that a process without privileges can have. */
  private static String openFiles() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/limits")).stream()
        .filter(line -> line.startsWith("Max open files"))
        .map(line -> line.split("\\s+")[4])
        .findFirst()
        .orElseThrow();
  }

  /** Makes an image of what Maven has built before the tests. */
  static Path assemble(Path directory) {
    Path assemble = Repository.root().resolve("packaging/image/assemble");
    Commands.run(assemble.toString(), directory.toString()).ok();
    String version = Packages.version();
    Path image = directory.resolve("stoa-" + version + "-image.tar");
    assertThat(image).exists();
    return image;
  }

  /** A file in the working directory of all commands. */
  Path path(String name) {
    return Path.of("/proc/" + holder.pid() + "/root" + name(name));
  }

  /** The name by which commands know a file in their working directory. */
  String name(String name) {
    return home.resolve(name).toString();
  }

  /** Runs a command. */
  Commands.Outcome run(String... command) {
    return Commands.run(inside(command), Map.of());
  }

  /** The command line that runs a command in the namespace. Its directory "bin" has precedence. */
  List<String> inside(String... command) {
    List<String> all = new ArrayList<>(List.of("nsenter", "-t", Long.toString(holder.pid())));
    all.addAll(List.of("--mount", "env", "-i", "--chdir=" + home, "HOME=" + home));
    all.addAll(List.of("LC_ALL=C.UTF-8", "PATH=" + name("bin") + ":" + PATH));
    all.add("CONTAINERS_CONF=" + name("containers.conf"));
    all.add("CONTAINERS_STORAGE_CONF=" + name("storage.conf"));
    all.addAll(List.of(command));
    return all;
  }

  Commands.Outcome podman(String... arguments) {
    List<String> all = new ArrayList<>(List.of("podman"));
    all.addAll(List.of(arguments));
    return run(all.toArray(String[]::new));
  }

  @Override
  public void close() {
    if (holder.isAlive()) {
      podman("rm", "--all", "--force", "--time", "0");
      run("sh", "-c", REMOVE_GROUPS);
    }
    holder.destroyForcibly().onExit().join();
    Leftovers.delete(log);
    Leftovers.delete(home);
  }
}
