// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import io.stoa.net.transport.DescribedException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file of a local socket, from before it is bound until it is closed.
 *
 * <p>Threading: confined to its owner.
 */
final class SocketFile {
  private static final PosixFilePermission[] PERMISSIONS = PosixFilePermission.values();

  private final Path path;
  private @Nullable Object identity;

  /**
   * Removes a stale file that a former process has left behind.
   *
   * @throws IOException if another process listens on the socket, if the file is not a socket, or
   *     if its directory does not exist
   */
  SocketFile(Path path) throws IOException {
    this.path = path;
    Path directory = path.getParent();
    if (directory != null && Files.notExists(directory)) {
      throw new DescribedException("there is no directory " + directory + "; create it");
    }
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      if (!attributes().isOther()) {
        throw new DescribedException("the file exists and is not a socket");
      }
      if (isInUse()) {
        throw new DescribedException("another process is listening on it");
      }
      Files.delete(path);
    }
  }

  private boolean isInUse() throws IOException {
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false); // does not block on a full backlog
      probe.connect(UnixDomainSocketAddress.of(path));
      return true;
    } catch (ConnectException refused) {
      return false;
    }
  }

  /**
   * Sets the permissions of the file after the socket was bound. Each bit of {@code mode} is one
   * permission.
   */
  void onBound(int mode) throws IOException {
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (int i = 0; i < PERMISSIONS.length; i++) {
      if ((mode & (1 << (PERMISSIONS.length - 1 - i))) != 0) {
        permissions.add(PERMISSIONS[i]);
      }
    }
    Files.setPosixFilePermissions(path, permissions);
    identity = attributes().fileKey();
  }

  /** Removes the file, unless another one has replaced it. */
  void remove() throws IOException {
    boolean exists = Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    if (exists && identity != null && identity.equals(attributes().fileKey())) {
      Files.delete(path);
    }
  }

  private BasicFileAttributes attributes() throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }
}
