// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import io.stoa.testing.Await;
import io.stoa.testing.Leftovers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A control group for the containers of one test, with the same name in each hierarchy. Its end
 * removes the groups of the containers, which fails while one of their processes is alive. The end
 * of the JVM removes them, too. Not thread-safe.
 */
final class ControlGroup implements AutoCloseable {
  private static final Path ROOT = Path.of("/sys/fs/cgroup");

  private final String name;

  private ControlGroup(String name) {
    this.name = name;
    Leftovers.atEnd(this::close);
  }

  /** Creates the group for memory. Version 1 has a hierarchy of memory, version 2 has only one. */
  static ControlGroup create(String name) {
    Path memory = ROOT.resolve("memory");
    boolean first = Files.isDirectory(memory);
    ControlGroup group = new ControlGroup(name);
    try {
      Files.createDirectory((first ? memory : ROOT).resolve(name));
      if (!first && !Files.readString(ROOT.resolve("cgroup.controllers")).contains("memory")) {
        throw new IOException("cgroup.controllers has no memory");
      }
    } catch (IOException e) {
      throw new AssertionError(
          "containers need root and a writable memory control group: " + e.getMessage(), e);
    }
    return group;
  }

  String name() {
    return name;
  }

  @Override
  public void close() {
    Await.until("the control group " + name + " is removed", this::isRemoved);
  }

  private boolean isRemoved() {
    try (Stream<Path> hierarchies = Files.list(ROOT)) {
      return Stream.concat(Stream.of(ROOT), hierarchies)
          .map(hierarchy -> hierarchy.resolve(name))
          .filter(Files::isDirectory)
          .allMatch(ControlGroup::isRemoved);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes the directories of a group. The kernel removes their files with them. */
  private static boolean isRemoved(Path group) {
    try (Stream<Path> all = Files.walk(group)) {
      List<Path> leavesFirst =
          all.filter(Files::isDirectory).sorted(Comparator.reverseOrder()).toList();
      for (Path each : leavesFirst) {
        Files.deleteIfExists(each);
      }
      return true;
    } catch (IOException | UncheckedIOException busy) {
      return Files.notExists(group);
    }
  }
}
