// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.stoa.feed.connection.FeedCredentials;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What Stoa is told by directories of changes made by others. Immutable.
 *
 * @param mode which feed is taken
 * @param bindDn as whom; empty if there is no account, and so no feed
 * @param passwordFile holds the account's password; null without an account
 * @param accounts of directories that have others
 * @param keepAlive how often a silent feed is asked for a sign of life
 * @param refreshLimit of how many entries a server may tell before its feed is live
 * @param accesslog the naming context of an accesslog; empty if it is to be found
 * @param restarts what the restart of an OpenLDAP server means
 */
public record FeedConfig(
    Mode mode,
    String bindDn,
    @Nullable Path passwordFile,
    List<OwnAccount> accounts,
    Duration keepAlive,
    int refreshLimit,
    String accesslog,
    Restarts restarts) {
  /** A feed if there is an account. */
  public static final FeedConfig DEFAULTS =
      new FeedConfig(
          Mode.AUTO, "", null, List.of(), Duration.ofSeconds(5), 1_000_000, "", Restarts.GAP);

  public FeedConfig {
    accounts = List.copyOf(accounts);
    FeedCredentials.of(bindDn, passwordFile);
    boolean none = bindDn.isEmpty() && accounts.stream().allMatch(own -> own.account() == null);
    if (mode != Mode.AUTO && mode != Mode.NONE && none) {
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

  /** One as whom every directory is asked, and that finds an accesslog by itself. */
  public FeedConfig(
      Mode mode, String bindDn, @Nullable Path passwordFile, Duration keepAlive, int refreshLimit) {
    this(mode, bindDn, passwordFile, List.of(), keepAlive, refreshLimit, "", Restarts.GAP);
  }

  /** Effect of the restart of an OpenLDAP server on results that rest on a feed. */
  public enum Restarts {
    /** Its database may have been edited offline: all that rests on the feed is void. */
    GAP,
    /** The administrator declares that databases are never edited offline. */
    TRUSTED
  }

  /** Which feed is taken. */
  public enum Mode {
    /** The best of those that the servers offer. */
    AUTO,
    /** Sync searches of OpenLDAP (RFC 4533). */
    SYNCREPL,
    /** The accesslog of OpenLDAP, by sync searches. */
    ACCESSLOG,
    /** The retro changelog of 389-ds. */
    CHANGELOG,
    /** None: age bounds what is served. */
    NONE
  }

  /** Why there is no feed where there is no account, and what would help, for people. */
  public String absence() {
    if (mode == Mode.NONE) {
      return "feed.mode is none";
    }
    return hasAccount()
        ? "no account is given for this directory, by feed.accounts or feed.bindDn"
        : "there is no account for one: give feed.bindDn and feed.passwordFile of one that may read"
            + " everything";
  }

  /** Whether there is an account for any directory, and a feed is wanted. */
  public boolean hasAccount() {
    boolean own = accounts.stream().anyMatch(one -> one.account() != null);
    return mode != Mode.NONE && (own || passwordFile != null);
  }

  /**
   * The account for a directory; null if there is none or no feed is wanted.
   *
   * @param here whether the directory has that suffix
   */
  public @Nullable FeedCredentials account(Predicate<String> here) {
    if (mode == Mode.NONE) {
      return null;
    }
    for (OwnAccount own : accounts) {
      if (here.test(own.suffix())) {
        return own.account();
      }
    }
    return FeedCredentials.of(bindDn, passwordFile);
  }

  /**
   * As whom one directory is asked instead. Immutable.
   *
   * @param suffix one that the directory has
   * @param account null if it is to have no feed
   */
  public record OwnAccount(String suffix, @Nullable FeedCredentials account) {}
}
