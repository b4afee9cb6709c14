// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import io.stoa.net.transport.InvalidConfigException;
import io.stoa.operation.PasswordFile;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The account of a feed. Its password file is read for each connection, so a new password needs no
 * restart.
 *
 * <p>Threading: immutable.
 *
 * @param dn the bind DN
 * @param passwordFile the file with the password and at most a line end
 */
public record FeedCredentials(String dn, Path passwordFile) {
  /**
   * Returns credentials; null if neither argument is given.
   *
   * @param dn the bind DN; empty without an account
   * @param passwordFile the password file; null without an account
   * @throws IllegalArgumentException if only one of both is given
   */
  public static @Nullable FeedCredentials of(String dn, @Nullable Path passwordFile) {
    if (dn.isEmpty() != (passwordFile == null)) {
      throw new InvalidConfigException("bindDn", " and ", "passwordFile", " must be set together");
    }
    return passwordFile == null ? null : new FeedCredentials(dn, passwordFile);
  }

  /** Reads the password from the file. The caller must close it after the bind. */
  HeldPassword password() throws IOException {
    return new HeldPassword(new PasswordFile(passwordFile));
  }
}
