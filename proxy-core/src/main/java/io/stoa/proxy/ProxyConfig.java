// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.net.transport.InvalidConfigException.requireAtLeast;

import io.stoa.cache.result.CacheConfig;
import io.stoa.client.access.AccessRules;
import io.stoa.client.access.ClientAccessRule;
import io.stoa.client.connection.ClientLimits;
import io.stoa.client.listener.AccessConfig;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.client.rootdse.AdaptConfig;
import io.stoa.feed.syncrepl.FeedConfig.DirectoryAccount;
import io.stoa.net.tls.ClientAuthentication;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.transport.InvalidConfigException;
import io.stoa.operation.external.ExternalRule;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.routing.directory.DirectorySpec;
import io.stoa.routing.directory.SuffixTable;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.ServerAddress;
import io.stoa.upstream.server.ServerAddress.Scheme;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowConfig.Batch;
import java.util.ArrayList;
import java.util.List;

/**
 * The configuration of a proxy at its start.
 *
 * <p>Threading: immutable.
 *
 * @param access the listeners and their rules
 * @param upstream the directory servers
 * @param cache the sizes and rules of the caches
 * @param adapt the permitted differences from the directory's answers
 * @param limits the limits of a client
 * @param windows the write windows
 * @param eventLoops the number of event loops; 0 is one for each two processors, at least one
 * @param coherence the use of change feeds
 * @param rules which operations of which clients are denied
 */
public record ProxyConfig(
    AccessConfig access,
    UpstreamConfig upstream,
    CacheConfig cache,
    AdaptConfig adapt,
    ClientLimits limits,
    List<WindowConfig> windows,
    int eventLoops,
    CoherenceConfig coherence,
    AccessRules rules) {

  private static final String RULES = "rules";

  public ProxyConfig {
    windows = List.copyOf(windows);
    List<ServerAddress> rest = fallbackServers(upstream);
    access.listeners().forEach(listener -> check(listener, upstream, rest));
    upstream.identity().external().forEach(rule -> check(rule, access));
    windows.forEach(window -> check(window, upstream));
    check(coherence.feed().accounts(), upstream);
    check(rules, access);
    requireAtLeast("eventLoops", eventLoops, 0);
    refuse(
        limits.operationsInFlight() > upstream.queueLimit(),
        "operationsInFlight",
        " " + limits.operationsInFlight() + " must be at most ",
        "queueLimit",
        " "
            + upstream.queueLimit()
            + ", otherwise one client could send more operations than the queue holds");
  }

  /** Creates a configuration with plain listeners, open to every client. */
  public ProxyConfig(
      List<ListenerConfig> listeners,
      UpstreamConfig upstream,
      CacheConfig cache,
      AdaptConfig adapt,
      ClientLimits limits,
      int eventLoops) {
    this(
        AccessConfig.of(listeners),
        upstream,
        cache,
        adapt,
        limits,
        List.of(),
        eventLoops,
        CoherenceConfig.DEFAULTS,
        AccessRules.NONE);
  }

  /** Returns the defaults for one listener and the given servers. */
  public static ProxyConfig of(ListenerConfig listener, UpstreamConfig upstream) {
    return new ProxyConfig(
        List.of(listener),
        upstream,
        CacheConfig.DEFAULTS,
        AdaptConfig.DEFAULTS,
        ClientLimits.DEFAULTS,
        0);
  }

  /** Returns the same with other limits of clients. */
  public ProxyConfig limits(ClientLimits other) {
    return new ProxyConfig(
        access, upstream, cache, adapt, other, windows, eventLoops, coherence, rules);
  }

  /** Returns the same with other settings of the directory servers. */
  public ProxyConfig upstream(UpstreamConfig other) {
    return new ProxyConfig(
        access, other, cache, adapt, limits, windows, eventLoops, coherence, rules);
  }

  /**
   * Returns the number of event loops. The default leaves processors to the kernel, to garbage
   * collection and compilation, and to a directory server on the same machine.
   */
  int loops() {
    return eventLoops > 0
        ? eventLoops
        : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
  }

  /**
   * True if a server may permit passwords in the clear only because Stoa's own connection is
   * protected.
   */
  boolean refusesCleartextSasl() {
    return upstream.isProtected() && !access.allowPlainSasl();
  }

  /**
   * Checks a window. Reads wait for windows, too. A transaction uses one connection, and so one
   * directory.
   */
  private static void check(WindowConfig window, UpstreamConfig upstream) {
    String name = ": " + window.name() + ": ";
    refuse(
        window.every().multipliedBy(2).compareTo(upstream.operationTimeout()) > 0,
        "windows",
        name + "every must be at most half of ",
        "operationTimeout");
    boolean inTransactions = window.batch() == Batch.TRANSACTIONS;
    refuse(
        inTransactions && DirectorySpec.of(upstream.servers()).size() > 1,
        "windows",
        name + "batch: transactions is not possible with several directories");
    refuse(
        inTransactions && upstream.replication().session() == SessionScope.CONNECTION,
        "windows",
        name + "batch: transactions mixes writes of several connections: ",
        "session",
        " must be identity or proxy");
  }

  /**
   * Checks access rules. Stoa cannot read the operations of a passthrough connection, so no rule
   * may seem to apply there.
   */
  private static void check(AccessRules rules, AccessConfig access) {
    List<String> names = access.listeners().stream().map(ListenerConfig::toString).toList();
    List<String> unread =
        access.listeners().stream()
            .filter(listener -> listener.kind() == Protocol.PASSTHROUGH)
            .map(ListenerConfig::toString)
            .toList();
    refuse(
        rules.readOnly() && !unread.isEmpty(),
        "readOnly",
        " does not hold for connections of " + unread + ", which Stoa cannot read");
    for (ClientAccessRule rule : rules.rules()) {
      List<String> listeners = rule.client().listeners();
      String start = ": '" + rule.name() + "': ";
      listeners.forEach(
          name ->
              refuse(
                  !names.contains(name),
                  RULES,
                  start + "listener " + name + " is missing from ",
                  "listen"));
      refuse(
          !unread.isEmpty()
              && (listeners.isEmpty() || listeners.stream().anyMatch(unread::contains)),
          RULES,
          start + "Stoa cannot read connections of " + unread + "; name other listeners");
    }
  }

  /**
   * Checks accounts of feeds. With a misspelled suffix, a directory would be read under another
   * account.
   */
  private static void check(List<DirectoryAccount> accounts, UpstreamConfig upstream) {
    List<DirectorySpec> claimed = new ArrayList<>();
    for (DirectoryAccount account : accounts) {
      DirectorySpec directory =
          DirectorySpec.of(upstream.servers()).stream()
              .filter(one -> one.has(account.suffix()))
              .findFirst()
              .orElseThrow(() -> wrong(account, "which no server of upstream.servers has"));
      if (claimed.contains(directory)) {
        throw wrong(account, "but its directory already has another account");
      }
      claimed.add(directory);
    }
  }

  private static InvalidConfigException wrong(DirectoryAccount account, String reason) {
    return new InvalidConfigException(
        "accounts", " has the suffix '" + account.suffix() + "', " + reason);
  }

  /** Checks a rule of SASL EXTERNAL. A rule about clients that cannot connect is a mistake. */
  private static void check(ExternalRule rule, AccessConfig access) {
    TlsConfig tls = access.tls();
    boolean clientAuth = tls != null && tls.clientAuth() != ClientAuthentication.NONE;
    boolean local = access.listeners().stream().anyMatch(l -> l.kind() == Protocol.LDAPI);
    refuse(
        rule.isForCertificates() && !clientAuth,
        "external",
        " has rules for certificates, but clients are not asked for one: set tls.clientAuth");
    refuse(
        !rule.isForCertificates() && !local,
        "external",
        " has rules for sockets, but no listener has the form ldapi://%2FPATH");
  }

  /** Returns the servers of the directory that gets passed-through connections. */
  private static List<ServerAddress> fallbackServers(UpstreamConfig upstream) {
    List<DirectorySpec> directories = DirectorySpec.of(upstream.servers());
    List<List<String>> suffixes = directories.stream().map(DirectorySpec::suffixes).toList();
    DirectorySpec rest = directories.get(new SuffixTable(suffixes).fallback());
    return rest.servers().stream().map(ServerSpec::address).toList();
  }

  private static void check(
      ListenerConfig listener, UpstreamConfig upstream, List<ServerAddress> rest) {
    String address = listener.host() + ":" + listener.port();
    boolean loop =
        upstream.addresses().stream()
            .anyMatch(server -> address.equals(server.host() + ":" + server.port()));
    refuse(loop, "servers", " contains Stoa's own listener " + address);
    boolean ldaps = rest.stream().anyMatch(server -> server.scheme() == Scheme.LDAPS);
    refuse(
        listener.kind() == Protocol.PASSTHROUGH && !ldaps,
        "listen",
        " has " + listener + ", which requires an upstream of the form ldaps://HOST:PORT");
  }
}
