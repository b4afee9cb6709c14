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
import java.util.Optional;

/**
 * A copy of this machine's file system in which packages can be installed. An overlay in a mount
 * namespace of its own takes all changes, and is gone with the process that holds it. The network
 * is that of the machine. Needs root. Not thread-safe.
 */
final class ScratchSystem implements AutoCloseable {
  private static final String OVERLAY =
      """
      set -e
      mount -t tmpfs tmpfs "$1"
      mkdir "$1/changes" "$1/work" "$1/root"
      mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" "$1/root"
      cd "$1/root"
      mount --rbind /dev dev
      mount -t tmpfs tmpfs run
      mount -t tmpfs -o mode=1777 tmpfs tmp
      """;

  private static final String WITHOUT_SYSTEMD =
      """
      for directory in proc sys; do mount --rbind "/$directory" "$directory"; done
      exec chroot . sh -c 'cd /; touch /run/up; exec sleep 900'
      """;

  /** The units of this machine are not started: only systemd itself and its journal. */
  private static final String SYSTEMD =
      """
      mount -t proc proc proc
      mount -t sysfs sysfs sys
      mount -t tmpfs tmpfs sys/fs/cgroup
      mkdir sys/fs/cgroup/systemd
      mount -t cgroup -o "none,name=$2" cgroup sys/fs/cgroup/systemd
      rm -rf lib/systemd/system/*.target.wants etc/systemd/system/*.wants
      mkdir lib/systemd/system/basic.target.wants
      ln -s ../systemd-journald.service lib/systemd/system/basic.target.wants/
      touch run/up
      pivot_root . mnt
      cd /
      umount --lazy mnt
      exec env -i container=lxc "$3" /lib/systemd/systemd --unit=basic.target
      """;

  /** Removes the control groups that systemd has made. */
  private static final String REMOVE_GROUPS =
      """
      set -e
      mountpoint -q "$2" || mount -t cgroup -o "none,name=$1" cgroup "$2"
      find "$2" -depth -mindepth 1 -type d -exec rmdir {} +
      umount "$2"
      """;

  private static final String PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin";

  private final Path mountPoint = Leftovers.directory("stoa-system");
  private final Path log = mountPoint.resolveSibling(mountPoint.getFileName() + ".log");
  private final boolean booted;
  private final Process holder;

  private ScratchSystem(boolean booted) throws IOException {
    this.booted = booted;
    List<String> command =
        new ArrayList<>(List.of("unshare", "--mount", "--propagation", "private"));
    if (booted) {
      command.addAll(List.of("--pid", "--fork", "--kill-child"));
    }
    String script = OVERLAY + (booted ? SYSTEMD : WITHOUT_SYSTEMD);
    command.addAll(List.of("sh", "-c", script, "sh", mountPoint.toString(), groups(), PATH));
    holder =
        Leftovers.start(
            new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()));
  }

  /** Mounts a system in which no service runs. */
  static ScratchSystem create() throws IOException {
    return mounted(new ScratchSystem(false));
  }

  /** Mounts a system, and starts systemd as its first process. */
  static ScratchSystem boot() throws IOException {
    ScratchSystem system = mounted(new ScratchSystem(true));
    Await.until(
        "systemd has started: " + system.log,
        () -> system.run("systemctl", "is-system-running").output().equals("running\n"));
    return system;
  }

  private static ScratchSystem mounted(ScratchSystem system) throws IOException {
    Await.until("the scratch system is mounted", () -> system.isUp() || system.isDown());
    if (system.isDown()) {
      String output = Files.readString(system.log);
      system.close();
      throw new AssertionError("no overlay can be mounted; run the test as root. " + output);
    }
    return system;
  }

  private boolean isUp() {
    return first().isPresent() && Files.exists(path("/run/up"));
  }

  private boolean isDown() {
    return !holder.isAlive();
  }

  /** The first process of the system. */
  private Optional<ProcessHandle> first() {
    return booted ? holder.children().findFirst() : Optional.of(holder.toHandle());
  }

  private String groups() {
    return mountPoint.getFileName().toString();
  }

  /** A file of the system, as the test can read and write it. */
  Path path(String name) {
    return Path.of("/proc/" + first().orElseThrow().pid() + "/root" + name);
  }

  /** Runs a command as root. */
  Commands.Outcome run(String... command) {
    return Commands.run(inside(Map.of(), command), Map.of());
  }

  /** What runs a command in the system, with no other environment than this. */
  List<String> inside(Map<String, String> environment, String... command) {
    String pid = Long.toString(first().orElseThrow().pid());
    List<String> all = new ArrayList<>(List.of("nsenter", "-t", pid, "--mount", "--root"));
    if (booted) {
      all.add("--pid");
    }
    all.addAll(List.of("env", "-i", "--chdir=/", "LC_ALL=C.UTF-8", PATH));
    environment.forEach((name, value) -> all.add(name + "=" + value));
    all.addAll(List.of(command));
    return all;
  }

  @Override
  public void close() {
    first().ifPresent(ProcessHandle::destroyForcibly);
    holder.destroyForcibly().onExit().join();
    if (booted) {
      String[] remove = {"sh", "-c", REMOVE_GROUPS, "sh", groups(), mountPoint.toString()};
      Await.until("the groups are removed", () -> Commands.run(remove).exitCode() == 0);
    }
    Leftovers.delete(log);
    Leftovers.delete(mountPoint);
  }
}
