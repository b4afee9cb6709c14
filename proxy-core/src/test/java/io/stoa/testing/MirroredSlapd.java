// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Two slapd that both take writes, each of which follows the other by syncrepl (multi-provider
 * replication), through a relay that can make it lag. Not thread-safe.
 */
public final class MirroredSlapd implements AutoCloseable {
  private static final int BOTH = 2;

  private static final String MIRROR =
      """
      limits dn.exact="%1$s" size=unlimited time=unlimited
      syncrepl rid=00%2$d
        provider=ldap://127.0.0.1:%3$d
        bindmethod=simple
        binddn="%1$s"
        credentials=%4$s
        searchbase="%5$s"
        type=refreshAndPersist
        retry="1 +"
        timeout=5
        network-timeout=2
        keepalive=2:2:1
      multiprovider on
      overlay syncprov
      syncprov-sessionlog 10000
      """;

  private final String suffix;
  private final List<Slapd> servers = new ArrayList<>();
  private final List<DelayRelay> relays = new ArrayList<>();

  private MirroredSlapd(String suffix) {
    this.suffix = suffix;
  }

  /**
   * Starts them, and waits until the second has what the first was loaded with.
   *
   * @param stock to which the database is added
   * @param lines of slapd.conf for the database of each, such as access rules and indexes
   */
  public static MirroredSlapd start(SlapdConfig stock, String suffix, String lines, Ldif ldif) {
    MirroredSlapd servers = new MirroredSlapd(suffix);
    boolean started = false;
    try {
      servers.startBoth(stock.module("syncprov"), lines, ldif);
      started = true;
      return servers;
    } finally {
      if (!started) {
        servers.close();
      }
    }
  }

  private void startBoth(SlapdConfig stock, String lines, Ldif ldif) {
    List<Integer> ports = List.of(FreePort.next(), FreePort.next());
    ports.forEach(port -> relays.add(DelayRelay.to(port)));
    for (int i = 0; i < BOTH; i++) {
      String mirror =
          MIRROR.formatted(
              SlapdConfig.ROOT_RDN + "," + suffix,
              i + 1,
              relays.get(1 - i).port(),
              SlapdConfig.ROOT_PASSWORD,
              suffix);
      SlapdConfig config =
          stock
              .global("serverID " + (i + 1))
              .database(suffix, lines + mirror, i == 0 ? ldif : new Ldif());
      servers.add(Slapd.start(config, ports.get(i)));
    }
    awaitEqual();
    servers.get(0).countOn(suffix);
    awaitEqual();
  }

  /** The one that is counted from 0. */
  public Slapd get(int index) {
    return servers.get(index);
  }

  /** What the one that is counted from 0 takes reaches the other so much later. */
  public void lag(int index, Duration lag) {
    relays.get(index).delay(lag);
  }

  /** Ends the connections by which the other follows the one that is counted from 0, once. */
  public void cut(int index) {
    relays.get(index).cut();
  }

  /** The ports of both. */
  public int[] ports() {
    return servers.stream().mapToInt(Slapd::port).toArray();
  }

  /** Waits until each has what the other has. */
  public void awaitEqual() {
    Await.until(
        "they follow each other",
        () -> {
          List<String> one = position(servers.get(0));
          return !one.isEmpty() && one.equals(position(servers.get(1)));
        });
  }

  /** The contextCSN of one of them; empty if it has none. */
  public List<String> position(Slapd server) {
    return ReplicatedSlapd.position(server, suffix);
  }

  @Override
  public void close() {
    servers.forEach(Slapd::close);
    relays.forEach(DelayRelay::close);
  }
}
