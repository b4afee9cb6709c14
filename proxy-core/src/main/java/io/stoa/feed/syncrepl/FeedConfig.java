// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.net.transport.InvalidConfigException.requireAtLeast;

import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.event.FeedKind;
import io.stoa.ldap.schema.ServerKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of change feeds.
 *
 * <p>Threading: immutable.
 *
 * @param mode the kind of feed
 * @param bindDn the DN of the feed's account; empty for no account, and so no feed
 * @param passwordFile the file with the account's password; null without an account
 * @param accounts the accounts of directories with one of their own
 * @param keepAlive the interval of heartbeats
 * @param refreshLimit the maximum number of entries in a refresh, before the feed is live
 * @param accesslog the naming context of the accesslog; empty to search for it
 * @param restarts the effect of a restart of an OpenLDAP server
 */
public record FeedConfig(
    Mode mode,
    String bindDn,
    @Nullable Path passwordFile,
    List<DirectoryAccount> accounts,
    Duration keepAlive,
    int refreshLimit,
    String accesslog,
    Restarts restarts) {
  /** The default: a feed wherever there is an account. */
  public static final FeedConfig DEFAULTS =
      new FeedConfig(
          Mode.AUTO, "", null, List.of(), Duration.ofSeconds(5), 1_000_000, "", Restarts.GAP);

  public FeedConfig {
    accounts = List.copyOf(accounts);
    FeedCredentials.of(bindDn, passwordFile);
    boolean none = bindDn.isEmpty() && accounts.stream().allMatch(own -> own.account() == null);
    refuse(
        mode != Mode.AUTO && mode != Mode.NONE && none,
        "mode",
        " " + mode.name().toLowerCase(Locale.ROOT) + " requires ",
        "bindDn",
        " and ",
        "passwordFile");
    refuse(keepAlive.toMillis() < 100, "keepAlive", " must be at least 100 ms");
    requireAtLeast("refreshLimit", refreshLimit, 1);
  }

  /** Effect of the restart of an OpenLDAP server on results held by a feed. */
  public enum Restarts {
    /**
     * A gap: the database may have been edited offline, so results held by the feed are
     * invalidated.
     */
    GAP,
    /** No effect: the administrator declares that databases are never edited offline. */
    TRUSTED
  }

  /** The kind of feed. */
  public enum Mode {
    /** The best kind that the servers offer. */
    AUTO,
    /** Sync searches of OpenLDAP (RFC 4533). */
    SYNCREPL,
    /** The accesslog of OpenLDAP, read by sync searches. */
    ACCESSLOG,
    /** The retro changelog of 389-ds. */
    CHANGELOG,
    /** No feed: cached results expire by age. */
    NONE
  }

  /**
   * Returns the expected kind of feed for servers of a kind; null if they do not offer what is
   * configured. In {@code AUTO} a feed of OpenLDAP may turn out to be an accesslog.
   */
  public @Nullable FeedKind kind(ServerKind servers) {
    boolean any = mode == Mode.AUTO;
    return switch (servers) {
      case OPENLDAP ->
          mode == Mode.ACCESSLOG
              ? FeedKind.ACCESSLOG
              : any || mode == Mode.SYNCREPL ? FeedKind.SYNCREPL : null;
      case DS389 -> any || mode == Mode.CHANGELOG ? FeedKind.CHANGELOG : null;
      default -> null;
    };
  }

  /** Returns the reason why there is no feed, and the remedy, for administrators. */
  public String absence() {
    if (mode == Mode.NONE) {
      return "feed.mode is none";
    }
    return hasAccount()
        ? "no account for this directory: set feed.accounts or feed.bindDn"
        : "feed.bindDn is not set: set feed.bindDn and feed.passwordFile of an "
            + "account that reads everything";
  }

  /** True if a feed is wanted and some directory has an account for it. */
  public boolean hasAccount() {
    boolean anyDirectoryAccount = accounts.stream().anyMatch(one -> one.account() != null);
    return mode != Mode.NONE && (anyDirectoryAccount || passwordFile != null);
  }

  /**
   * Returns the account for a directory; null if there is none or no feed is wanted.
   *
   * @param isSuffixOfDirectory true for a suffix of the directory
   */
  public @Nullable FeedCredentials account(Predicate<String> isSuffixOfDirectory) {
    if (mode == Mode.NONE) {
      return null;
    }
    for (DirectoryAccount directoryAccount : accounts) {
      if (isSuffixOfDirectory.test(directoryAccount.suffix())) {
        return directoryAccount.account();
      }
    }
    return FeedCredentials.of(bindDn, passwordFile);
  }

  /**
   * The account of one directory, in place of the common one.
   *
   * <p>Threading: immutable.
   *
   * @param suffix a suffix of the directory
   * @param account the account; null for no feed
   */
  public record DirectoryAccount(String suffix, @Nullable FeedCredentials account) {}
}
