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
 * A {@link ScratchSystem} that runs systemd, in a process namespace of its own. Of this machine's
 * services none is started. A policy of this machine that denies packages their services, as images
 * of containers have it, does not hold in the system. Needs root, and a machine that lets it mount
 * a control group. Not thread-safe.
 */
final class BootedSystem implements AutoCloseable {
  private static final String SCRIPT =
      """
      set -e
      base=$1; root=$1/root
      if [ -z "${2:-}" ]; then
        mkdir "$base/cgroup"
        mount -t cgroup2 cgroup2 "$base/cgroup"
        mkdir "$base/cgroup/$(basename "$base")"
        echo 0 >"$base/cgroup/$(basename "$base")/cgroup.procs"
        umount "$base/cgroup"
        exec unshare --cgroup sh -c "$0" "$0" "$base" inside
      fi
      mount -t tmpfs tmpfs "$base"
      mkdir "$base/changes" "$base/work" "$root"
      touch "$base/console"
      mount -t overlay overlay -o "lowerdir=/,upperdir=$base/changes,workdir=$base/work" "$root"
      mount -t proc proc "$root/proc"
      mount --bind -o ro /proc/sys "$root/proc/sys"
      mount -t sysfs -o ro sysfs "$root/sys"
      mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
      mount -t tmpfs tmpfs "$root/run"
      mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
      mount -t tmpfs tmpfs "$root/dev"
      for device in null zero full random urandom tty; do
        touch "$root/dev/$device"
        mount --bind "/dev/$device" "$root/dev/$device"
      done
      mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/mqueue" "$root/dev/hugepages"
      mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
      ln -s pts/ptmx "$root/dev/ptmx"
      touch "$root/dev/console"
      mount --bind "$base/console" "$root/dev/console"
      rm -f "$root/usr/sbin/policy-rc.d"
      rm -rf "$root"/lib/systemd/system/*.wants "$root"/etc/systemd/system/*.wants
      printf '[Unit]\\nDescription=Nothing\\n' >"$root/etc/systemd/system/nothing.target"
      cd "$root"
      pivot_root . mnt
      exec chroot . sh -c 'umount -l /mnt; exec env -i container=docker PATH=/usr/sbin:/usr/bin \
        /lib/systemd/systemd --system --unit=nothing.target --log-target=null'
      """;
  private static final String REMOVE_CONTROL_GROUPS =
      """
      mount -t cgroup2 cgroup2 "$1/cgroup"
      find "$1/cgroup/$(basename "$1")" -depth -type d -exec rmdir {} +
      """;
  private static final String PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin";

  private final Path mountPoint = Leftovers.directory("stoa-booted");
  private final Path log = mountPoint.resolveSibling(mountPoint.getFileName() + ".log");
  private final Process holder;

  private BootedSystem() throws IOException {
    List<String> command = new ArrayList<>(List.of("unshare", "--mount", "--pid", "--fork"));
    command.addAll(List.of("--kill-child", "--uts", "--ipc", "--propagation", "private"));
    command.addAll(List.of("sh", "-c", SCRIPT, SCRIPT, mountPoint.toString()));
    Leftovers.willMake(log);
    holder =
        Leftovers.start(
            new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()));
  }

  static BootedSystem boot() throws IOException {
    BootedSystem system = new BootedSystem();
    Await.until("systemd is up", () -> system.isUp() || !system.holder.isAlive());
    if (!system.holder.isAlive()) {
      String output = Files.readString(system.log);
      system.close();
      throw new AssertionError("systemd cannot be booted; run the test as root. " + output);
    }
    return system;
  }

  private boolean isUp() {
    return init().isPresent()
        && Files.exists(path("/run/systemd/private"))
        && run("systemctl", "is-active", "nothing.target").exitCode() == 0;
  }

  private Optional<ProcessHandle> init() {
    return holder.children().findFirst();
  }

  /** A file of the system, as the test can read and write it. */
  Path path(String name) {
    return Path.of("/proc/" + init().orElseThrow().pid() + "/root" + name);
  }

  /** Runs a command as root. */
  Commands.Outcome run(String... command) {
    return Commands.run(inside(command), Map.of());
  }

  /** The command line that runs a command in the system as root. */
  List<String> inside(String... command) {
    String pid = Long.toString(init().orElseThrow().pid());
    List<String> all = new ArrayList<>(List.of("nsenter", "-t", pid, "--mount", "--pid"));
    all.addAll(List.of("--root", "env", "-i", "--chdir=/", "HOME=/root", "LC_ALL=C.UTF-8", PATH));
    all.addAll(List.of(command));
    return all;
  }

  @Override
  public void close() {
    // All processes of the namespace have ended when their first one has.
    init().ifPresentOrElse(ProcessHandle::destroyForcibly, holder::destroyForcibly);
    holder.onExit().join();
    String script = REMOVE_CONTROL_GROUPS;
    Commands.run("unshare", "--mount", "sh", "-ec", script, "sh", mountPoint.toString()).ok();
    Leftovers.delete(log);
    Leftovers.delete(mountPoint);
  }
}
