// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import io.stoa.operation.PasswordFile;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * As whom a feed binds. The file is read for each connection, so that a new password needs no
 * restart. Immutable.
 *
 * @param dn the DN
 * @param passwordFile holds its password and nothing else but the end of the line
 */
public record FeedCredentials(String dn, Path passwordFile) {
  /**
   * One, if both are given.
   *
   * @param dn empty without an account
   * @param passwordFile null without an account
   * @throws IllegalArgumentException if only one of both is given
   */
  public static @Nullable FeedCredentials of(String dn, @Nullable Path passwordFile) {
    if (dn.isEmpty() != (passwordFile == null)) {
      throw new IllegalArgumentException("bindDn and passwordFile are given together");
    }
    return passwordFile == null ? null : new FeedCredentials(dn, passwordFile);
  }

  /** The password that the file holds now, to be closed after the bind. */
  HeldPassword password() throws IOException {
    return new HeldPassword(new PasswordFile(passwordFile));
  }
}
