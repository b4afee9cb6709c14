// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.LdapResultCode;
import io.stoa.ldap.protocol.Octets;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts failed binds by client network and result. Successful operations cost nothing.
 *
 * <ol>
 *   <li>A network is an IPv4 address or an IPv6 /64; all local sockets count as one.
 *   <li>At most 1,000 networks are counted. Beyond that, the one without a failed bind for the
 *       longest time is evicted.
 *   <li>A network is forgotten an hour after its last failed bind.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class FailedBindCounters {
  /** Maximum number of networks in the table: 1,000, about 300 KiB. */
  private static final int MAX_NETWORKS = 1_000;

  /** Maximum number of networks in a list: 100. */
  private static final int MAX_LISTED = 100;

  private static final long FORGET_NANOS = TimeUnit.HOURS.toNanos(1);

  /** The networks, the one with the oldest last failure first. */
  private final Map<Octets, Counts> networks = new LinkedHashMap<>(16, 0.75f, true);

  /** Unreported failed binds of networks that were forgotten. */
  private long forgotten;

  /**
   * Failed binds of one network.
   *
   * <p>Threading: immutable.
   *
   * @param network the address or network; {@code local sockets} for these
   * @param results number of failed binds by result
   * @param since time of the first of them
   * @param last time of the last of them
   */
  public record OfNetwork(
      String network, Map<LdapResultCode, Long> results, Instant since, Instant last) {
    public OfNetwork {
      results = new EnumMap<>(results);
    }

    /** Returns the number of failed binds. */
    public long count() {
      return sum(results);
    }
  }

  /** Counts of one network. Threading: guarded by the lock of the table. */
  private static final class Counts {
    private final Map<LdapResultCode, Long> results = new EnumMap<>(LdapResultCode.class);
    private final Map<LdapResultCode, Long> unreported = new EnumMap<>(LdapResultCode.class);
    private final Instant since = Instant.now();
    private Instant last = since;
    private long lastNanos;

    void add(LdapResultCode code, long now) {
      results.merge(code, 1L, Long::sum);
      unreported.merge(code, 1L, Long::sum);
      last = Instant.now();
      lastNanos = now;
    }

    OfNetwork of(Octets network, Map<LdapResultCode, Long> shown) {
      return new OfNetwork(nameOf(network), shown, since, last);
    }
  }

  /**
   * Counts a failed bind.
   *
   * @param network as of {@link ClientSession#network()}
   */
  public synchronized void add(Octets network, int resultCode) {
    long now = System.nanoTime();
    networks.computeIfAbsent(network, key -> new Counts()).add(LdapResultCode.of(resultCode), now);
    Iterator<Counts> oldest = networks.values().iterator();
    if (networks.size() > MAX_NETWORKS) {
      forgotten += sum(oldest.next().unreported);
      oldest.remove();
    }
    forget(now);
  }

  private void forget(long now) {
    Iterator<Counts> oldest = networks.values().iterator();
    while (oldest.hasNext() && now - oldest.next().lastNanos > FORGET_NANOS) {
      oldest.remove();
    }
  }

  /** Returns at most 100 networks, those with most failed binds first. */
  public List<OfNetwork> top() {
    List<OfNetwork> all = new ArrayList<>();
    synchronized (this) {
      forget(System.nanoTime());
      networks.forEach((network, counts) -> all.add(counts.of(network, counts.results)));
    }
    return sorted(all).subList(0, Math.min(MAX_LISTED, all.size()));
  }

  /** True if there were failed binds since the last call of {@link #takeUnreported}. */
  public synchronized boolean hasUnreported() {
    return forgotten > 0
        || networks.values().stream().anyMatch(counts -> !counts.unreported.isEmpty());
  }

  /** Returns the failed binds since the last call whose networks were forgotten before. */
  public synchronized long takeForgotten() {
    long taken = forgotten;
    forgotten = 0;
    return taken;
  }

  private static long sum(Map<LdapResultCode, Long> results) {
    return results.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns the failed binds since the last call, the networks with most of them first. */
  public List<OfNetwork> takeUnreported() {
    List<OfNetwork> all = new ArrayList<>();
    synchronized (this) {
      networks.forEach(
          (network, counts) -> {
            if (!counts.unreported.isEmpty()) {
              all.add(counts.of(network, counts.unreported));
              counts.unreported.clear();
            }
          });
    }
    return sorted(all);
  }

  private static List<OfNetwork> sorted(List<OfNetwork> all) {
    all.sort(Comparator.comparingLong(OfNetwork::count).reversed());
    return all;
  }

  /**
   * Returns the name of a network for users.
   *
   * @param network as of {@link ClientSession#network()}
   */
  public static String nameOf(Octets network) {
    byte[] octets = network.array();
    try {
      if (octets.length == 0) {
        return "local sockets";
      }
      if (octets.length != ClientSession.NETWORK_OCTETS) {
        return InetAddress.getByAddress(octets).getHostAddress();
      }
      byte[] whole = Arrays.copyOf(octets, 2 * octets.length);
      return InetAddress.getByAddress(whole).getHostAddress() + "/64";
    } catch (UnknownHostException e) {
      return "an unknown network";
    }
  }
}
