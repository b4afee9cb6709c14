// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A slapd that takes writes, and some that follow it by syncrepl (RFC 4533, refreshAndPersist),
 * each through a relay that can make it lag. Not thread-safe.
 */
public final class ReplicatedSlapd implements AutoCloseable {
  private static final String PROVIDER =
      """
      limits dn.exact="%s" size=unlimited time=unlimited
      overlay syncprov
      syncprov-sessionlog 10000
      """;

  private static final String CONSUMER =
      """
      syncrepl rid=001
        provider=ldap://127.0.0.1:%d
        bindmethod=simple
        binddn="%s"
        credentials=%s
        searchbase="%s"
        type=refreshAndPersist
        retry="1 +"
        timeout=5
        network-timeout=2
        keepalive=2:2:1
      updateref ldap://127.0.0.1:%d
      """;

  private final String suffix;
  private final List<AutoCloseable> all = new ArrayList<>();
  private final List<DelayRelay> relays = new ArrayList<>();
  private final List<Slapd> replicas = new ArrayList<>();
  private Slapd primary;

  private ReplicatedSlapd(String suffix) {
    this.suffix = suffix;
  }

  /**
   * Starts them, and waits until the replicas have what the primary has.
   *
   * @param stock to which the database is added
   * @param lines of slapd.conf for the database of each, such as access rules and indexes
   */
  public static ReplicatedSlapd start(
      SlapdConfig stock, String suffix, String lines, Ldif ldif, int replicas) {
    ReplicatedSlapd servers = new ReplicatedSlapd(suffix);
    boolean started = false;
    try {
      servers.startAll(stock.module("syncprov"), lines, ldif, replicas);
      started = true;
      return servers;
    } finally {
      if (!started) {
        servers.close();
      }
    }
  }

  private void startAll(SlapdConfig stock, String lines, Ldif ldif, int count) {
    String root = SlapdConfig.ROOT_RDN + "," + suffix;
    primary = keep(Slapd.start(stock.database(suffix, lines + PROVIDER.formatted(root), ldif)));
    for (int i = 0; i < count; i++) {
      DelayRelay relay = keep(DelayRelay.to(primary.port()));
      relays.add(relay);
      String consumer =
          CONSUMER.formatted(relay.port(), root, SlapdConfig.ROOT_PASSWORD, suffix, primary.port());
      replicas.add(
          keep(
              Slapd.start(
                  stock.database(
                      suffix, lines + consumer + PROVIDER.formatted(root), new Ldif()))));
    }
    awaitEqual();
  }

  private <T extends AutoCloseable> T keep(T one) {
    all.add(one);
    return one;
  }

  public Slapd primary() {
    return primary;
  }

  /** The one that is counted from 0. */
  public Slapd replica(int index) {
    return replicas.get(index);
  }

  /** The relay through which a replica follows. */
  public DelayRelay relay(int index) {
    return relays.get(index);
  }

  /** Lets all replicas lag by so much; what is under way, too. */
  public void lag(Duration lag) {
    relays.forEach(relay -> relay.delay(lag));
  }

  /** The ports of all, the primary's first. */
  public int[] ports() {
    return IntStream.concat(IntStream.of(primary.port()), replicas.stream().mapToInt(Slapd::port))
        .toArray();
  }

  /** Waits until every replica has reached the position that the primary has now. */
  public void awaitEqual() {
    List<String> position = position(primary);
    for (Slapd replica : replicas) {
      Await.until("a replica follows", () -> position(replica).equals(position));
    }
  }

  /** Waits until every replica has what the primary has now, while others write. */
  public void awaitFollowed() {
    String position = String.join("", position(primary)); // of the one server that takes writes
    for (Slapd replica : replicas) {
      Await.until(
          "a replica follows", () -> String.join("", position(replica)).compareTo(position) >= 0);
    }
  }

  /** The contextCSN of one of them; empty if it has none. */
  public List<String> position(Slapd server) {
    return position(server, suffix);
  }

  static List<String> position(Slapd server, String suffix) {
    try (LDAPConnection connection = new LDAPConnection("127.0.0.1", server.port())) {
      SearchResultEntry entry = connection.getEntry(suffix, "contextCSN");
      String[] values = entry == null ? null : entry.getAttributeValues("contextCSN");
      return values == null ? List.of() : List.of(values).stream().sorted().toList();
    } catch (LDAPException e) {
      throw new AssertionError("slapd does not tell its position", e);
    }
  }

  @Override
  public void close() {
    for (int i = all.size() - 1; i >= 0; i--) {
      try {
        all.get(i).close();
      } catch (Exception e) {
        throw new AssertionError("cannot be ended", e);
      }
    }
  }
}
