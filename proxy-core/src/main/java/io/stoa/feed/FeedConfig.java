// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed;

import com.unboundid.ldap.sdk.SimpleBindRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What Stoa is told by the directory of changes made by others. Immutable.
 *
 * @param mode which feed is taken
 * @param bindDn as whom; empty if there is no account, and so no feed
 * @param passwordFile holds the account's password; null without an account
 * @param keepAlive how often a silent feed is asked for a sign of life
 * @param refreshLimit of how many entries a server may tell before its feed is live
 */
public record FeedConfig(
    Mode mode, String bindDn, @Nullable Path passwordFile, Duration keepAlive, int refreshLimit) {
  /** A feed if there is an account. */
  public static final FeedConfig DEFAULTS =
      new FeedConfig(Mode.AUTO, "", null, Duration.ofSeconds(5), 1_000_000);

  public FeedConfig {
    if (bindDn.isEmpty() != (passwordFile == null)) {
      throw new IllegalArgumentException("bindDn and passwordFile are given together");
    }
    if ((mode == Mode.SYNCREPL || mode == Mode.CHANGELOG) && bindDn.isEmpty()) {
      throw new IllegalArgumentException(
          "mode " + mode.name().toLowerCase(Locale.ROOT) + " needs bindDn and passwordFile");
    }
    if (keepAlive.toMillis() < 100) {
      throw new IllegalArgumentException("keepAlive must be at least 100 ms");
    }
    if (refreshLimit < 1) {
      throw new IllegalArgumentException("refreshLimit must be at least 1");
    }
  }

  /** Which feed is taken. */
  public enum Mode {
    /** The best of those that the servers offer. */
    AUTO,
    /** Sync searches of OpenLDAP (RFC 4533). */
    SYNCREPL,
    /** The retro changelog of 389-ds. */
    CHANGELOG,
    /** None: age bounds what is served. */
    NONE
  }

  /** Why there is no feed, for people; empty if there is one. */
  public String absence() {
    if (mode == Mode.NONE) {
      return "no feed: feed.mode is none, and answers may be as old as maxAge allows";
    }
    return bindDn.isEmpty()
        ? "no feed: give feed.bindDn and feed.passwordFile of an account that may read everything,"
            + " and answers need not be as old as maxAge allows"
        : "";
  }

  /** The account; null if there is none or no feed is wanted. */
  public @Nullable Account account() {
    Path file = passwordFile;
    return mode == Mode.NONE || file == null ? null : new Account(bindDn, file);
  }

  /**
   * As whom a feed binds. The file is read for each connection, so that a new password needs no
   * restart. Immutable.
   *
   * @param dn the DN
   * @param passwordFile holds its password and nothing else but the end of the line
   */
  public record Account(String dn, Path passwordFile) {
    private static final int MOST_OCTETS = 1024;

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
      try {
        return Files.readAllBytes(passwordFile);
      } catch (IOException e) {
        String why = e.getClass().getSimpleName();
        throw new IOException("the password file " + passwordFile + " cannot be read: " + why, e);
      }
    }
  }
}
