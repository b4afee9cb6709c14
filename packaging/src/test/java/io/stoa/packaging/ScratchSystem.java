// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import io.stoa.testing.Await;
import io.stoa.testing.Leftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A copy of this machine's file system in which packages can be installed. An overlay in a mount
 * namespace of its own takes all changes, and is gone with the process that holds it. That process
 * ends with the JVM of the test. The network is that of the machine. Needs root. Not thread-safe.
 */
final class ScratchSystem implements AutoCloseable {
  private static final String SCRIPT =
      """
      set -e
      mount -t tmpfs tmpfs "$1"
      mkdir "$1/changes" "$1/work" "$1/root"
      mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" "$1/root"
      for directory in proc sys dev; do mount --rbind "/$directory" "$1/root/$directory"; done
      mount -t tmpfs tmpfs "$1/root/run"
      mount -t tmpfs -o mode=1777 tmpfs "$1/root/tmp"
      exec chroot "$1/root" sh -c 'cd /; touch /run/up; exec cat'
      """;
  private static final String PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin";

  private final Path mountPoint = Leftovers.directory("stoa-system");
  private final Path log = mountPoint.resolveSibling(mountPoint.getFileName() + ".log");
  private final Process holder;

  private ScratchSystem() throws IOException {
    List<String> command =
        List.of("unshare", "--mount", "--propagation", "private", "sh", "-c", SCRIPT, "sh");
    List<String> all = new ArrayList<>(command);
    all.add(mountPoint.toString());
    Leftovers.willMake(log);
    holder =
        Leftovers.start(
            new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(log.toFile()));
  }

  static ScratchSystem create() throws IOException {
    ScratchSystem system = new ScratchSystem();
    Path up = system.path("/run/up");
    Await.until("the scratch system is mounted", () -> Files.exists(up) || system.isDown());
    if (system.isDown()) {
      String output = Files.readString(system.log);
      system.close();
      throw new AssertionError("no overlay can be mounted; run the test as root. " + output);
    }
    return system;
  }

  private boolean isDown() {
    return !holder.isAlive();
  }

  /** A file of the system, as the test can read and write it. */
  Path path(String name) {
    return Path.of("/proc/" + holder.pid() + "/root" + name);
  }

  /** Runs a command as root. */
  Commands.Outcome run(String... command) {
    return Commands.run(inside(Map.of(), command), Map.of());
  }

  /** The command line that runs a command in the system, with this environment only. */
  List<String> inside(Map<String, String> environment, String... command) {
    List<String> all = new ArrayList<>(List.of("nsenter", "-t", Long.toString(holder.pid())));
    all.addAll(List.of("--mount", "--root", "env", "-i", "--chdir=/", "LC_ALL=C.UTF-8", PATH));
    environment.forEach((name, value) -> all.add(name + "=" + value));
    all.addAll(List.of(command));
    return all;
  }

  @Override
  public void close() {
    holder.destroyForcibly().onExit().join();
    Leftovers.delete(log);
    Leftovers.delete(mountPoint);
  }
}
