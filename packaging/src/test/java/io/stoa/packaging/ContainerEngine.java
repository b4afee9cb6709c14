// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.Leftovers;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Podman with runc, in a mount namespace and a PID namespace of its own. All files and processes
 * are gone with them. Containers have the network of the machine, and a limit of memory in a
 * control group of the engine. Needs root, and a control group of memory that root can write. Not
 * thread-safe.
 */
final class ContainerEngine implements AutoCloseable {
  /** The shell is the first process: it reaps orphans, and ends with the JVM of the test. */
  private static final String SCRIPT =
      """
      set -e
      mount -t tmpfs tmpfs "$1"
      mkdir "$1/bin" "$1/changes" "$1/work"
      mount -t overlay overlay -o "lowerdir=/var/lib,upperdir=$1/changes,workdir=$1/work" /var/lib
      for directory in /run /dev/shm /etc/cni; do
        [ ! -d "$directory" ] || mount -t tmpfs tmpfs "$directory"
      done
      touch "$1/up"
      read -r _ || true
      """;

  /** Containers of the guide, too, are in the control group. */
  private static final String PODMAN =
      """
      #!/bin/sh
      command=$1
      shift
      [ "$command" != run ] || set -- --cgroup-parent /%1$s "$@"
      PATH=%2$s exec podman "$command" "$@"
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
  private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  private final Path home = Leftovers.directory("stoa-containers");
  private final Path log = home.resolveSibling(home.getFileName() + ".log");
  private final ControlGroup group = ControlGroup.create(home.getFileName().toString());
  private final Map<String, String> hostFiles = HostFiles.read();
  private final Process holder;

  private ContainerEngine() throws IOException {
    List<String> all = new ArrayList<>(List.of("unshare", "--mount", "--propagation", "private"));
    all.addAll(List.of("--pid", "--fork", "--kill-child", "--mount-proc"));
    all.addAll(List.of("bash", "-c", SCRIPT, "bash", home.toString()));
    Leftovers.willMake(log);
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
      throw new AssertionError("containers need root and mount namespaces: " + output);
    }
    // Podman raises limits by default, for which the tests may have no privilege.
    Files.writeString(engine.path("containers.conf"), CONTAINERS.formatted(openFiles()));
    Files.writeString(engine.path("storage.conf"), STORAGE.formatted(engine.home));
    Path podman = engine.path("bin/podman");
    Files.writeString(podman, PODMAN.formatted(engine.group.name(), PATH));
    Files.setPosixFilePermissions(podman, PosixFilePermissions.fromString("rwxr-xr-x"));
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
    String namespaces = "/proc/" + holder.pid() + "/ns/";
    List<String> all = new ArrayList<>(List.of("nsenter", "--mount=" + namespaces + "mnt"));
    all.add("--pid=" + namespaces + "pid_for_children");
    all.addAll(List.of("env", "-i", "--chdir=" + home, "HOME=" + home));
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

  /** Kills all containers, as the end of the JVM does. No file of the machine may have changed. */
  @Override
  public void close() {
    holder.destroyForcibly().onExit().join();
    group.close();
    Leftovers.delete(log);
    Leftovers.delete(home);
    assertThat(HostFiles.read()).isEqualTo(hostFiles);
  }
}
