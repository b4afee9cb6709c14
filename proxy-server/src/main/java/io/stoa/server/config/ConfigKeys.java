// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.BOOLEAN;
import static io.stoa.server.config.value.ValueTypes.DURATION;
import static io.stoa.server.config.value.ValueTypes.LISTENER;
import static io.stoa.server.config.value.ValueTypes.NUMBER;

import io.stoa.client.listener.AccessConfig;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.client.rootdse.AdaptConfig;
import io.stoa.client.rootdse.AdaptConfig.Referrals;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The keys of the top level, and the list of all keys in the order of the documentation. Threading:
 * immutable.
 */
final class ConfigKeys {
  private static final KeySection KEYS = new KeySection("");

  private static final AdaptConfig ADAPT = AdaptConfig.DEFAULTS;

  static final ConfigKey<List<ListenerConfig>> LISTEN =
      KEYS.key(
          "listen",
          new Sequence<>(LISTENER, false),
          List.of(ServerConfig.DEFAULT_LISTENER),
          "Listeners for clients: ADDRESS:PORT, ldaps://ADDRESS:PORT, ldapi://%2FPATH or"
              + " passthrough://ADDRESS:PORT. An empty address means all IPv4 addresses, [::] means"
              + " IPv4 and IPv6.");

  static final ConfigKey<Integer> EVENT_LOOPS =
      KEYS.key(
          "eventLoops",
          NUMBER,
          0,
          "Number of event loops (I/O threads). 0: one for each two processors, at least one.");

  static final ConfigKey<Duration> DRAIN_TIMEOUT =
      KEYS.live(
          "drainTimeout",
          DURATION,
          ServerConfig.DEFAULT_DRAIN_TIMEOUT,
          "Maximum time for operations in flight to end after SIGTERM or SIGINT. 0: Stoa ends at"
              + " once.");

  static final ConfigKey<Referrals> REFERRALS =
      KEYS.key(
          "referrals",
          ValueTypes.choice(Referrals.class),
          ADAPT.referrals(),
          "Handling of referrals. pass: clients get them. follow: Stoa follows those of writes, to"
              + " servers of this file only. hide: references are removed from search results.");

  static final ConfigKey<Boolean> MERGE_RANGES =
      KEYS.key(
          "mergeRanges",
          BOOLEAN,
          ADAPT.mergeRanges(),
          "Merging of attributes that Active Directory returns in ranges. False: they pass"
              + " unchanged.");

  static final ConfigKey<List<String>> PROXY_PROTOCOL =
      KEYS.key(
          "proxyProtocol",
          new Sequence<>(ValueTypes.NETWORK, true, "10.0.0.0/8"),
          List.of(),
          "Networks of load balancers. Each connection from there must begin with a PROXY protocol"
              + " header, version 1 or 2.");

  static final ConfigKey<Integer> SOCKET_MODE =
      KEYS.key(
          "socketMode",
          ValueTypes.OCTAL,
          AccessConfig.SOCKET_MODE,
          "Permissions of the sockets of ldapi:// listeners, such as 0660.");

  static final ConfigKey<Boolean> READ_ONLY =
      KEYS.live(
          "readOnly",
          BOOLEAN,
          false,
          "Refusal of all writes with unwillingToPerform: updates, and extended operations that may"
              + " write, such as Password Modify.");

  /** All keys. */
  static final List<ConfigKey<?>> ALL =
      Stream.of(
              KEYS,
              TlsKeys.KEYS,
              UpstreamKeys.KEYS,
              UpstreamTlsKeys.KEYS,
              ProbeKeys.KEYS,
              ReplicationKeys.KEYS,
              IdentityKeys.KEYS,
              FeedKeys.KEYS,
              WriteKeys.KEYS,
              CacheKeys.KEYS,
              AccessKeys.KEYS,
              LimitKeys.KEYS,
              QuotaKeys.NETWORK.keys(),
              QuotaKeys.IDENTITY.keys(),
              LogKeys.KEYS,
              ManagementKeys.KEYS,
              MonitorKeys.KEYS,
              AdminKeys.KEYS)
          .flatMap(section -> section.all().stream())
          .toList();

  private ConfigKeys() {}
}
