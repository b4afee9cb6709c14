// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.cache.result.CacheConfig;
import io.stoa.cache.result.Exclusions;
import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.cache.sharing.SharingConfig;
import io.stoa.client.access.AccessOperation;
import io.stoa.client.access.AccessRules;
import io.stoa.client.access.ClientAccessRule;
import io.stoa.client.access.ClientAccessRule.ClientCondition;
import io.stoa.client.access.ClientAccessRule.RequestCondition;
import io.stoa.client.connection.ClientLimits;
import io.stoa.client.limit.SearchLimits;
import io.stoa.client.listener.AccessConfig;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.client.quota.QuotaConfig;
import io.stoa.client.quota.Quotas;
import io.stoa.client.rootdse.AdaptConfig;
import io.stoa.client.rootdse.AdaptConfig.Referrals;
import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.feed.syncrepl.FeedConfig.DirectoryAccount;
import io.stoa.feed.syncrepl.FeedConfig.Mode;
import io.stoa.feed.syncrepl.FeedConfig.Restarts;
import io.stoa.net.peer.Network;
import io.stoa.net.tls.ClientAuthentication;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsProvider;
import io.stoa.operation.external.ExternalRule;
import io.stoa.proxy.ProxyConfig;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.proxy.feeds.CoherenceConfig.Apply;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.server.accesslog.AccessLogConfig;
import io.stoa.server.accesslog.LogFormat;
import io.stoa.server.accesslog.LogLevel;
import io.stoa.server.accesslog.LogTarget;
import io.stoa.server.accesslog.Rotation;
import io.stoa.server.accesslog.ValueMode;
import io.stoa.server.admin.auth.AdministratorConfig;
import io.stoa.server.admin.auth.OwnTrees;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.upstream.auth.IdentityConfig;
import io.stoa.upstream.auth.IdentityMode;
import io.stoa.upstream.auth.ServiceMechanism;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.balancing.Balancing;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.connect.NamesConfig;
import io.stoa.upstream.connect.UpstreamTransport;
import io.stoa.upstream.connection.ProbeConfig;
import io.stoa.upstream.pool.ReplayConfig;
import io.stoa.upstream.pool.ReplayConfig.UnknownOutcome;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.ServerAddress;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowConfig.Batch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Configurations for tests. */
final class ConfigSamples {
  /** No value is the default, and no two of a type are equal. */
  static final String EVERY_KEY =
      """
      listen: ['127.0.0.1:1', 'ldaps://:2', '[::1]:3', 'ldapi://%2Frun%2Fx']
      upstream:
        servers:
          - {url: ldap://a, role: replica, weight: 33, tier: 34, drained: true, reconnect: k}
          - {url: 'ldap://[::2]:4', role: primary}
          - ldap://c
          - {url: ldap://d, suffix: ['dc=d', o=d]}
        strategies: [bestOfTwo, dnAffinity]
        reads: replicas
        slowStart: 32s
        ejection: 37s
        maxInFlight: 39
        connectTimeout: 7ms
        operationTimeout: 8s
        attemptTimeout: 35ms
        bindTimeout: 40s
        maxConnections: 9
        maxInFlightPerConnection: 10
        maxResponse: 11MiB
        queueLimit: 12
        queueTimeout: 13m
        writeCoherence: 14h
        nameServer: '127.0.0.1:53'
        resolveInterval: 38s
        keepPasswords: false
        bindAffinity: false
        unknownOutcome: disconnect
        hedge: true
        idleTimeout: 31m
        maxConnectionAge: 38m
        maxConnecting: 39
        startTls: true
        allowPlain: true
        proxyProtocol: true
        sessionTracking: true
        tls:
          ca: ca.pem
          verifyHost: false
          crl: [h]
          certificate: /a/b.pem
          key: c.pem
          keyPasswordFile: d
          protocols: [TLSv1.2]
          ciphers: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]
      referrals: hide
      mergeRanges: true
      eventLoops: 5
      drainTimeout: 6s
      proxyProtocol: [10.1.0.0/16]
      socketMode: 0600
      tls:
        certificate: /a/b
        key: /a/c
        keyPasswordFile: /a/d
        clientCa: /a/e
        clientAuth: require
        crl: [/a/f, g]
        requireTls: true
        allowPlainSasl: true
        protocols: [TLSv1.2]
        ciphers: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]
        provider: jdk
      probe:
        base: dc=g
        filter: (h=*)
        expect: i=j
        interval: 36s
        mismatch: refuse
      replication:
        session: proxy
        maxLag: 38s
        interval: 37s
      identity:
        mode: proxied
        serviceMechanism: EXTERNAL
        neverProxied: ['cn=e']
        external: ['socket uid=7 gid=8 => u:f']
      feed:
        mode: none
        accounts: [{suffix: dc=d}]
        assumeCoverage: true
        derivedAttributes: [isMember]
        linkedAttributes: [owner]
        apply: invalidate
        keepAlive: 42s
        refreshLimit: 43
        restarts: trusted
        accesslog: cn=log
      writes:
        windows:
          - {name: x, subtree: dc=w, identity: cn=i, every: 40ms, maxOperations: 41, passwords: true}
          - {name: y, every: 3s}
      cache:
        maxStaleness: 44s
        maxAclStaleness: 45s
        enabled: false
        filterCacheSize: 15
        entryCacheSize: 16
        requestCacheSize: 17
        maxBytes: 18KiB
        bypassLimit: 19
        maxResultBytes: 20
        paging: false
        maxAge: 21s
        serveStale: 36m
        aclCache: false
        aclCacheSize: 40
        classes:
          - {name: k, members: ['uid=*,dc=m'], base: dc=o, include: [q], exclude: [r], uniform: true}
          - {name: l, members: ['**,dc=n', cn=n], base: dc=p}
        classSampling: 47
        invalidation: everything
        refresh: true
        refreshPerSecond: 77
        auditPerSecond: 78
        fullAuditPerSecond: 79
        secrets: [pin]
        exclusions:
          subtrees: ['ou=a,dc=b']
          identities: ['', 'cn=c']
          filterAttributes: [d, 1.2.3]
          clientNetworks: [10.0.0.0/8, 'fd00::/8']
      readOnly: true
      access:
        rules:
          - name: r
            decision: deny
            networks: 10.4.0.0/16
            listeners: ['[::1]:3']
            tls: false
            identities: ['**,dc=a', anonymous]
            operations: [bind, extended]
            extended: 1.2.3
            bases: dc=b
            bindMethods: [Simple, gssapi]
          - {name: s, decision: allow}
      limits:
        frameBeforeBind: 2222
        frameAfterBind: 2323
        filterDepth: 24
        operationsInFlight: 11
        longLivedSearches: 25
        connections: 26
        requestMemory: 4848
        writeBuffer: 128KiB
        writeTimeout: 27s
        idleTimeout: 28s
        requestTimeout: 29s
        negotiationTimeout: 30s
        sizeLimit: 42
        timeLimit: 43s
        pagedResults: false
        pagedSearches: 44
        pageSize: 45
        sorting: false
        sortKeys: 46
        exempt: ['cn=l']
        network:
          connections: 50
          operationsInFlight: 51
          operationsPerSecond: 52
          burst: 53
          failedBinds: 54
          failedBindDelay: 55s
        identity:
          connections: 56
          operationsInFlight: 57
          operationsPerSecond: 58
          burst: 59
          failedBinds: 60
          failedBindDelay: 6s
      log:
        access:
          format: 389ds
          destination: syslog+tcp://h:601
          values: hashed
          listeners: ['127.0.0.1:1']
          networks: [10.4.0.0/16]
          results: [49]
          sampleEvery: 80
          slowerThan: 81ms
        audit:
          destination: /a/audit
        levels: [feed=debug]
        rotation:
          maxSize: 82KiB
          keepDays: 83
          maxTotalSize: 84
          compress: false
      management:
        listen: 127.0.0.1:30
      monitor:
        tree: false
        ibmTimes: true
        readers: ['cn=watch', '*']
      admin:
        tree: false
        dn: cn=boss,cn=configuration
        passwordHash: '{PBKDF2-SHA512}210000$c2FsdHNhbHRzYWx0c2FsdA$cGFzc3dvcmRwYXNzd29yZHBhc3N3b3JkcGFzc3dvcmRwYXNzd29yZHBhc3N3b3JkcGFzc3dvcmRwYXNzd29yZA'
        networks: [10.3.0.0/16]
        listeners: ['ldaps://:2']
        changes: /var/lib/stoa/changes
      """;

  static final String EVERYTHING_WRONG =
      """
      listen: 127.0.0.1:1389
      upstream:
        servers:
          - ldap://a:389
          - http://b
          - ldap://a:389
        maxConnections: 0
        connectTimeout: 5
        keepPasswords: yes
      maxAge: 5s
      cache:
        exclusions:
          clientNetworks:
            - 10.0.0.0/8
            - banana
          subtrees: [here]
          filterAttributes: [a b]
        filterCacheSize: -1
        filterCacheSize: 7
        maxAge: -5s
        bypassLimit: many
        maxResultBytes: 4MB
      limits:
        filterDepth: 5000
        frameAfterBind: 1KiB
        idleTimeout:
        writeBuffer: 9999999999
      managment:
        listen: x
      management:
        listen: x
      """;

  private ConfigSamples() {}

  static ServerConfig everyKey() {
    ProxyConfig proxy =
        new ProxyConfig(
            access(),
            upstream(),
            cache(),
            new AdaptConfig(Referrals.HIDE, true),
            limits(),
            windows(),
            5,
            coherence(),
            rules());
    ManagementConfig management = new ManagementConfig(new ListenerConfig("127.0.0.1", 30), false);
    AdministratorConfig administrator =
        new AdministratorConfig(
            "cn=boss,cn=configuration",
            Optional.of(
                PasswordHash.parse(
                    "{PBKDF2-SHA512}210000$c2FsdHNhbHRzYWx0c2FsdA$"
                        + "cGFzc3dvcmRwYXNzd29yZHBhc3N3b3JkcGFzc3dvcmRw"
                        + "YXNzd29yZHBhc3N3b3JkcGFzc3dvcmRwYXNzd29yZA")),
            List.of(Network.parse("10.3.0.0/16")),
            List.of(new ListenerConfig(Protocol.LDAPS, "0.0.0.0", 2)),
            List.of("cn=watch", "*"),
            new OwnTrees(false, false));
    return new ServerConfig(
        proxy,
        management,
        true,
        Duration.ofSeconds(6),
        administrator,
        logs(),
        List.of(LogLevel.of("feed", "debug")));
  }

  private static AccessLogConfig logs() {
    return new AccessLogConfig(
        LogFormat.DS389,
        new LogTarget.Syslog("tcp", "h", 601),
        ValueMode.HASHED,
        cache().secrets(),
        new AccessLogConfig.Filter(
            List.of("127.0.0.1:1"),
            List.of(Network.parse("10.4.0.0/16")),
            List.of(49),
            80,
            Duration.ofMillis(81)),
        Optional.of(new LogTarget.LogFile(Path.of("/a/audit"))),
        new Rotation(82 << 10, 83, 84, false));
  }

  private static AccessRules rules() {
    ClientAccessRule rule =
        new ClientAccessRule(
            "r",
            new ClientCondition(
                List.of(Network.parse("10.4.0.0/16")),
                List.of("[::1]:3"),
                false,
                List.of("**,dc=a", "anonymous")),
            new RequestCondition(
                Set.of(AccessOperation.BIND, AccessOperation.EXTENDED),
                List.of("1.2.3"),
                List.of("dc=b"),
                List.of("simple", "GSSAPI")),
            false);
    ClientAccessRule all =
        new ClientAccessRule("s", ClientCondition.ANY, RequestCondition.ANY, true);
    return new AccessRules(List.of(rule, all), true);
  }

  private static CoherenceConfig coherence() {
    FeedConfig feed =
        new FeedConfig(
            Mode.NONE,
            "",
            null,
            List.of(new DirectoryAccount("dc=d", null)),
            Duration.ofSeconds(42),
            43,
            "cn=log",
            Restarts.TRUSTED);
    return new CoherenceConfig(
        feed,
        Duration.ofSeconds(44),
        Duration.ofSeconds(45),
        true,
        new DerivedConfig(List.of("isMember"), List.of("owner"), List.of()),
        Apply.INVALIDATE);
  }

  private static List<WindowConfig> windows() {
    Duration max = Duration.ofSeconds(3);
    return List.of(
        new WindowConfig("x", "dc=w", "cn=i", Duration.ofMillis(40), 41, Batch.SINGLE, true),
        new WindowConfig("y", null, null, max, 64, Batch.SINGLE, false));
  }

  private static AccessConfig access() {
    List<ListenerConfig> listeners =
        List.of(
            new ListenerConfig("127.0.0.1", 1),
            new ListenerConfig(Protocol.LDAPS, "0.0.0.0", 2),
            new ListenerConfig("::1", 3),
            new ListenerConfig(Protocol.LDAPI, "/run/x", 0));
    TlsConfig tls =
        new TlsConfig(
            Path.of("/a/b"),
            Path.of("/a/c"),
            Path.of("/a/d"),
            Path.of("/a/e"),
            ClientAuthentication.REQUIRE,
            List.of("TLSv1.2"),
            List.of("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
            TlsProvider.JDK,
            List.of(Path.of("/a/f"), Path.of("g")));
    return new AccessConfig(
        listeners, tls, true, true, List.of(Network.parse("10.1.0.0/16")), 0600);
  }

  private static TlsConfig tls() {
    return new TlsConfig(
        Path.of("/a/b.pem"),
        Path.of("c.pem"),
        Path.of("d"),
        Path.of("ca.pem"),
        TlsConfig.DEFAULTS.clientAuth(),
        List.of("TLSv1.2"),
        List.of("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"),
        TlsProvider.JDK,
        List.of(Path.of("h")));
  }

  private static UpstreamConfig upstream() {
    return new UpstreamConfig(
        List.of(
            new ServerSpec(new ServerAddress("a", 389), false, 33, 34, List.of(), true, "k"),
            new ServerSpec(new ServerAddress("::2", 4), true, 1, 1),
            new ServerSpec(new ServerAddress("c", 389), false, 1, 1),
            new ServerSpec(new ServerAddress("d", 389), true, 1, 1, List.of("dc=d", "o=d"))),
        new BalanceConfig(
            List.of(Balancing.BEST_OF_TWO, Balancing.DN_AFFINITY),
            Reads.REPLICAS,
            Duration.ofSeconds(32),
            Duration.ofSeconds(37),
            39),
        new ProbeConfig(
            "", "", "dc=g", "(h=*)", "i=j", Duration.ofSeconds(36), ProbeConfig.Mismatch.REFUSE),
        new ReplicationConfig(SessionScope.PROXY, Duration.ofSeconds(38), Duration.ofSeconds(37)),
        Duration.ofMillis(7),
        Duration.ofSeconds(8),
        Duration.ofMillis(35),
        Duration.ofSeconds(40),
        9,
        10,
        11 * 1024 * 1024,
        12,
        Duration.ofMinutes(13),
        Duration.ofHours(14),
        false,
        new IdentityConfig(
            IdentityMode.PROXIED,
            "",
            "",
            ServiceMechanism.EXTERNAL,
            List.of("cn=e"),
            List.of(ExternalRule.parse("socket uid=7 gid=8 => u:f"))),
        new UpstreamTransport(
            true,
            tls(),
            false,
            true,
            true,
            true,
            Duration.ofMinutes(31),
            Duration.ofMinutes(38),
            39),
        new ReplayConfig(false, UnknownOutcome.DISCONNECT, true),
        new NamesConfig("127.0.0.1:53", Duration.ofSeconds(38)));
  }

  private static CacheConfig cache() {
    Exclusions exclusions =
        new Exclusions(
            List.of("ou=a,dc=b"),
            List.of("", "cn=c"),
            List.of("d", "1.2.3"),
            List.of("10.0.0.0/8", "fd00::/8"));
    return new CacheConfig(
        false,
        15,
        16,
        17,
        18 * 1024,
        19,
        20,
        false,
        Duration.ofSeconds(21),
        exclusions,
        Stream.concat(CacheConfig.DEFAULT_SECRETS.stream(), Stream.of("pin")).toList(),
        Duration.ofMinutes(36),
        false,
        40,
        CacheConfig.Invalidation.EVERYTHING,
        true,
        77,
        78,
        79,
        sharing());
  }

  private static SharingConfig sharing() {
    Attributes attributes = new Attributes(List.of("q"), List.of("r"));
    return new SharingConfig(
        List.of(
            new Declaration("k", List.of("uid=*,dc=m"), List.of(), "dc=o", attributes, true),
            new Declaration(
                "l", List.of("**,dc=n", "cn=n"), List.of(), "dc=p", Attributes.ALL, false)),
        47);
  }

  private static ClientLimits limits() {
    return new ClientLimits(
        2222,
        2323,
        24,
        11,
        25,
        26,
        4848,
        128 * 1024,
        Duration.ofSeconds(27),
        Duration.ofSeconds(28),
        Duration.ofSeconds(29),
        Duration.ofSeconds(30),
        new SearchLimits(42, Duration.ofSeconds(43), false, 44, 45, false, 46, List.of("cn=l")),
        new Quotas(
            new QuotaConfig(50, 51, 52, 53, 54, Duration.ofSeconds(55)),
            new QuotaConfig(56, 57, 58, 59, 60, Duration.ofSeconds(6))));
  }

  static List<String> everythingWrong() {
    return List.of(
        "1:9 listen must be a list of ADDRESS:PORT, one item per '- '",
        "5:7 upstream.servers: 'http://b' is not of the form"
            + " ldap://HOST:PORT, ldaps://HOST:PORT or ldapi://%2FPATH",
        "6:7 upstream.servers contains a duplicate item",
        "7:19 upstream.maxConnections 0 is below 1",
        "8:19 upstream.connectTimeout: '5' is not a duration such as 200ms, 5s, 2m, 1h or 0",
        "9:18 upstream.keepPasswords: 'yes' must be true or false",
        "10:1 unknown key maxAge; did you mean cache.maxAge?",
        "15:9 cache.exclusions.clientNetworks: 'banana' is not an IP network such as 10.0.0.0/8",
        "16:16 cache.exclusions.subtrees: 'here' is not a DN",
        "17:24 cache.exclusions.filterAttributes: 'a b' is not a valid attribute name",
        "18:20 cache.filterCacheSize -1 is below 0",
        "19:3 cache.filterCacheSize is a duplicate key",
        "20:11 cache.maxAge: '-5s' is not a duration such as 200ms, 5s, 2m, 1h or 0",
        "21:16 cache.bypassLimit: 'many' must be a whole number",
        "22:19 cache.maxResultBytes: '4MB' is not a size such as 65536 (bytes), 256KiB, 4MiB or"
            + " 1GiB",
        "24:16 limits.filterDepth 5000 is above 1000",
        "25:19 limits.frameAfterBind 1024 is below limits.frameBeforeBind 262144",
        "26:15 limits.idleTimeout must have a value: duration",
        "27:16 limits.writeBuffer: '9999999999' must be below 2GiB",
        "28:1 unknown key managment; did you mean management?",
        "31:11 management.listen: 'x' is not ADDRESS:PORT");
  }
}
