// SPDX-License-Identifier: Apache-2.0
package io.stoa.link;

import com.unboundid.ldap.sdk.SimpleBindRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * As whom a feed binds. The file is read for each connection, so that a new password needs no
 * restart. Immutable.
 *
 * @param dn the DN
 * @param passwordFile holds its password and nothing else but the end of the line
 */
public record Account(String dn, Path passwordFile) {
  private static final int MOST_OCTETS = 1024;
  private static final int END_OF_LINE = 2;

  /**
   * One, if both are given.
   *
   * @param dn empty without an account
   * @param passwordFile null without an account
   * @throws IllegalArgumentException if only one of both is given
   */
  public static @Nullable Account of(String dn, @Nullable Path passwordFile) {
    if (dn.isEmpty() != (passwordFile == null)) {
      throw new IllegalArgumentException("bindDn and passwordFile are given together");
    }
    return passwordFile == null ? null : new Account(dn, passwordFile);
  }

  /** A bind with what the file holds now. */
  SimpleBindRequest bind() throws IOException {
    byte[] octets = read();
    int end = octets.length;
    while (end > 0 && (octets[end - 1] == '\n' || octets[end - 1] == '\r')) {
      end--;
    }
    byte[] password = Arrays.copyOf(octets, end);
    Arrays.fill(octets, (byte) 0);
    if (end == 0 || end > MOST_OCTETS) {
      throw new IOException("the password file " + passwordFile + " holds no password");
    }
    return new SimpleBindRequest(dn, password);
  }

  private byte[] read() throws IOException {
    try (InputStream file = Files.newInputStream(passwordFile)) {
      return file.readNBytes(MOST_OCTETS + END_OF_LINE + 1);
    } catch (IOException e) {
      String why = e.getClass().getSimpleName();
      throw new IOException("the password file " + passwordFile + " cannot be read: " + why, e);
    }
  }
}
