// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.feed.syncrepl.FeedConfig.DirectoryAccount;
import io.stoa.net.transport.FailureText;
import io.stoa.operation.PasswordFile;
import io.stoa.operation.external.ExternalRule;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.server.config.value.ValueType;
import io.stoa.server.config.value.ValueType.ElementField;
import io.stoa.server.config.value.ValueType.Items;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import io.stoa.upstream.auth.IdentityConfig;
import io.stoa.upstream.auth.IdentityMode;
import io.stoa.upstream.auth.ServiceMechanism;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The keys of the section {@code identity}. Threading: immutable. */
final class IdentityKeys {
  static final KeySection KEYS = new KeySection("identity.");

  private static final IdentityConfig DEFAULTS = IdentityConfig.PASS_THROUGH;

  /** Type of the path of a password file. */
  static final Scalar<String> PASSWORD_FILE =
      new Scalar<>("path", IdentityKeys::checkFile, ValueTypes::quote);

  static final ConfigKey<IdentityMode> MODE =
      KEYS.key(
          "mode",
          ValueTypes.choice(IdentityMode.class),
          DEFAULTS.mode(),
          "Identity of upstream connections: passThrough (bound as the clients), or proxied (bound"
              + " as a service account, with proxied authorization for the client, RFC 4370).");
  static final ConfigKey<String> SERVICE_DN =
      KEYS.key("serviceDn", ValueTypes.DN, DEFAULTS.serviceDn(), "DN of the service account.");
  static final ConfigKey<String> SERVICE_PASSWORD_FILE =
      KEYS.key(
          "servicePasswordFile",
          PASSWORD_FILE,
          DEFAULTS.servicePasswordFile(),
          "File with the service account's password and nothing else; reread when a server refuses"
              + " the password.");
  static final ConfigKey<ServiceMechanism> SERVICE_MECHANISM =
      KEYS.key(
          "serviceMechanism",
          ValueTypes.choice(
              ServiceMechanism.class,
              one -> one == ServiceMechanism.EXTERNAL ? "EXTERNAL" : "simple"),
          DEFAULTS.serviceMechanism(),
          "Mechanism of the service account's bind: simple (serviceDn and its password), or"
              + " EXTERNAL (Stoa's client certificate, or a local socket).");

  static final ConfigKey<List<String>> OWN_CONNECTIONS =
      KEYS.key(
          "ownConnections",
          new Sequence<>(ValueTypes.DN, true, "'cn=admin,dc=example,dc=com'"),
          DEFAULTS.ownConnections(),
          "Bind DNs of clients that get dedicated connections instead of proxied authorization,"
              + " such as the directory's root DN.");

  static final ConfigKey<List<ExternalRule>> EXTERNAL =
      KEYS.key(
          "external",
          new Sequence<>(
              new Scalar<>("rule", ExternalRule::parse, rule -> ValueTypes.quote(rule.toString())),
              true,
              "'certificate CN={user},OU=Apps,O=Example =>"
                  + " dn:uid={user},ou=apps,dc=example,dc=com'"),
          DEFAULTS.external(),
          "Mapping of clients that bind by SASL EXTERNAL to identities: certificate SUBJECT =>"
              + " AUTHZID, or socket USER => AUTHZID. The first matching rule applies.");

  /** The keys of the section {@code feed}. Threading: immutable. */
  static final class Feed {
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
            Accounts.TYPE,
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
            "Handling of results that a change alters. inPlace: those of uniform classes are"
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

    private Feed() {}

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

  /** Account of the feed of one directory among several, as it is written. Threading: immutable. */
  static final class Accounts {
    private static final ElementField<String> SUFFIX =
        new ElementField<>(
            "suffix", ValueTypes.DN, "One of the directory's suffixes in upstream.servers.");
    private static final ElementField<String> BIND_DN =
        new ElementField<>(
            "bindDn",
            ValueTypes.DN,
            "DN of the feed's account in this directory. Without bindDn and passwordFile, the"
                + " directory has no feed.");
    private static final ElementField<String> PASSWORD_FILE =
        new ElementField<>(
            "passwordFile",
            IdentityKeys.PASSWORD_FILE,
            "File with the account's password and nothing else; read for each connection.");

    /** Type of an item of the list. */
    static final Items<DirectoryAccount> TYPE =
        new Items<>(
            "accounts",
            List.of(SUFFIX, BIND_DN, PASSWORD_FILE),
            List.of(
                "'dc=example,dc=com'",
                "'cn=stoa,ou=apps,dc=example,dc=com'",
                "/etc/stoa/feed-password"),
            Accounts::of,
            DirectoryAccount::suffix,
            true);

    private Accounts() {}

    private static DirectoryAccount of(ValueType.ItemValues values) {
      String suffix = values.require(SUFFIX);
      String file = values.get(PASSWORD_FILE).orElse("");
      Path path = file.isEmpty() ? null : Path.of(file);
      return new DirectoryAccount(suffix, FeedCredentials.of(values.get(BIND_DN).orElse(""), path));
    }
  }

  private IdentityKeys() {}

  /** Builds the section's configuration. */
  static IdentityConfig assemble(Settings settings) {
    return new IdentityConfig(
        settings.get(MODE),
        settings.get(SERVICE_DN),
        settings.get(SERVICE_PASSWORD_FILE),
        settings.get(SERVICE_MECHANISM),
        settings.get(OWN_CONNECTIONS),
        settings.get(EXTERNAL));
  }

  private static String checkFile(String path) {
    try {
      if (!path.isEmpty()) {
        new PasswordFile(Path.of(path)).check();
      }
      return path;
    } catch (IOException e) {
      throw new IllegalArgumentException(FailureText.of(e), e);
    }
  }
}
