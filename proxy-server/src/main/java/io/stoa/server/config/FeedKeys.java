// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.feed.syncrepl.FeedConfig.DirectoryAccount;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The keys of the section {@code feed}. Threading: immutable. */
final class FeedKeys {
  static final KeySection KEYS = new KeySection("feed.");

  private static final FeedConfig FEED = FeedConfig.DEFAULTS;
  private static final DerivedConfig DERIVED_ONES = DerivedConfig.DEFAULTS;

  static final ConfigKey<FeedConfig.Mode> MODE =
      KEYS.key(
          "mode",
          ValueTypes.choice(FeedConfig.Mode.class),
          FEED.mode(),
          "Type of change feed: auto (the best that the directory offers), syncrepl (OpenLDAP,"
              + " RFC 4533), accesslog (OpenLDAP), changelog (retro changelog of 389-ds), or"
              + " none.");
  static final ConfigKey<String> BIND_DN =
      KEYS.key(
          "bindDn",
          ValueTypes.DN,
          FEED.bindDn(),
          "DN of the change feed's account. The account must be able to read every entry and"
              + " every attribute except secrets, without limits. Empty: no change feed, cached"
              + " answers expire after cache.maxAge.");
  static final ConfigKey<String> PASSWORD_FILE =
      KEYS.key(
          "passwordFile",
          IdentityKeys.PASSWORD_FILE,
          "",
          "File with the password of feed.bindDn and nothing else; read for each connection.");
  static final ConfigKey<List<DirectoryAccount>> ACCOUNTS =
      KEYS.key(
          "accounts",
          FeedAccountItem.TYPE,
          FEED.accounts(),
          "Accounts of single directories in place of feed.bindDn, where there are several"
              + " directories.");
  static final ConfigKey<String> ACCESSLOG =
      KEYS.key(
          "accesslog",
          ValueTypes.DN,
          FEED.accesslog(),
          "Suffix of the accesslog, such as cn=log. Empty: Stoa searches the naming contexts for"
              + " one.");
  static final ConfigKey<Boolean> ASSUME_COVERAGE =
      KEYS.key(
          "assumeCoverage",
          ValueTypes.BOOLEAN,
          CoherenceConfig.DEFAULTS.assumesCoverage(),
          "Declaration that feed.bindDn sees everything (full coverage). False: access rules in"
              + " cn=config, or 100 changes, must prove it before the feed holds subtree"
              + " results.");
  static final ConfigKey<List<String>> DERIVED =
      KEYS.key(
          "derivedAttributes",
          new Sequence<>(ValueTypes.ATTRIBUTE, true),
          DERIVED_ONES.groups(),
          "Attributes derived from group membership. A change of a group may change them in"
              + " entries for which the feed reports nothing.");
  static final ConfigKey<List<String>> LINKED =
      KEYS.key(
          "linkedAttributes",
          new Sequence<>(ValueTypes.ATTRIBUTE, true, "manager"),
          DERIVED_ONES.linked(),
          "Attributes that referential integrity (refint) updates when entries are renamed or"
              + " deleted. Needed only where Stoa cannot read cn=config.");
  static final ConfigKey<CoherenceConfig.Apply> APPLY =
      KEYS.key(
          "apply",
          ValueTypes.choice(CoherenceConfig.Apply.class),
          CoherenceConfig.DEFAULTS.apply(),
          "Handling of results that a change alters. inPlace: results of uniform classes are"
              + " updated from the feed. invalidate: all are invalidated, as always with"
              + " cache.maxStaleness 0.");
  static final ConfigKey<Duration> KEEP_ALIVE =
      KEYS.key(
          "keepAlive",
          ValueTypes.DURATION,
          FEED.keepAlive(),
          "Interval of heartbeats on a silent feed. At least 100 ms.");
  static final ConfigKey<Integer> REFRESH_LIMIT =
      KEYS.key(
          "refreshLimit",
          ValueTypes.NUMBER,
          FEED.refreshLimit(),
          "Maximum number of entries in a refresh. A feed with more is disconnected.");
  static final ConfigKey<FeedConfig.Restarts> RESTARTS =
      KEYS.key(
          "restarts",
          ValueTypes.choice(FeedConfig.Restarts.class),
          FEED.restarts(),
          "Effect of a restart of an OpenLDAP server. gap: all results held by the feed are"
              + " invalidated, as the database may have been edited offline. trusted: they are"
              + " kept; declares that databases are never edited offline and servers are never"
              + " killed.");

  private FeedKeys() {}

  /** Builds the configuration of derived attributes. */
  static DerivedConfig derived(Settings settings) {
    return new DerivedConfig(settings.get(DERIVED), settings.get(LINKED), List.of());
  }

  /** Builds the configuration of the feed, without derived attributes. */
  static FeedConfig assemble(Settings settings) {
    String file = settings.get(PASSWORD_FILE);
    return new FeedConfig(
        settings.get(MODE),
        settings.get(BIND_DN),
        file.isEmpty() ? null : Path.of(file),
        settings.get(ACCOUNTS),
        settings.get(KEEP_ALIVE),
        settings.get(REFRESH_LIMIT),
        settings.get(ACCESSLOG),
        settings.get(RESTARTS));
  }
}
