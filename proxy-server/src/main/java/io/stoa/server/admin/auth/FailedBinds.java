// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.auth;

import io.stoa.ldap.protocol.Octets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Slows down the guessing of passwords.
 *
 * <ol>
 *   <li>A network pauses for 1 s after its third failure in a row, and twice as long after each
 *       further one, up to 64 s.
 *   <li>All networks together may fail 50 times in a burst, and then once a second. Networks from
 *       which the right password has come are exempt.
 *   <li>At most 1,000 networks are remembered.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
final class FailedBinds {
  /** Maximum number of networks remembered: 1,000. The least recently used one is evicted. */
  static final int MAX_NETWORKS = 1_000;

  /** Maximum number of concurrent attempts of one network: 2. */
  static final int MAX_CONCURRENT = 2;

  private static final int FREE_FAILURES = 3;
  private static final int MAX_SHIFT = 6;
  private static final long FIRST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  /** Maximum burst of failures of all networks: 50. One more is permitted after each pause. */
  static final int MAX_TOTAL_FAILURES = 50;

  private static final long TOTAL_DECAY_INTERVAL = TimeUnit.SECONDS.toNanos(1);

  private final Map<Octets, NetworkRecord> byNetwork =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Octets, NetworkRecord> eldest) {
          return size() > MAX_NETWORKS;
        }
      };

  private int totalFailures;
  private long totalSince;

  /** Record of one network. Threading: guarded by the lock of {@code FailedBinds}. */
  private static final class NetworkRecord {
    int underWay;
    int failures;
    long last;
    boolean hasSucceeded;

    boolean isPaused(long now) {
      int over = failures - FREE_FAILURES;
      return over >= 0 && now - last < FIRST_PAUSE << Math.min(over, MAX_SHIFT);
    }
  }

  /**
   * True if an attempt may be made now. The caller then reports its end by {@link #onSucceeded},
   * {@link #onFailed} or {@link #onDropped}.
   */
  synchronized boolean begin(Octets network, long now) {
    NetworkRecord found = byNetwork.get(network);
    NetworkRecord networkRecord = found == null ? new NetworkRecord() : found;
    decayFailures(now);
    boolean may =
        networkRecord.underWay < MAX_CONCURRENT
            && !networkRecord.isPaused(now)
            && (networkRecord.hasSucceeded || totalFailures < MAX_TOTAL_FAILURES);
    if (may) {
      networkRecord.underWay++;
      byNetwork.putIfAbsent(network, networkRecord); // a refused network evicts no record
    }
    return may;
  }

  private void decayFailures(long now) {
    long pauses = (now - totalSince) / TOTAL_DECAY_INTERVAL;
    if (totalFailures == 0 || pauses >= totalFailures) {
      totalFailures = 0;
      totalSince = now;
    } else if (pauses > 0) {
      totalFailures -= (int) pauses;
      totalSince += pauses * TOTAL_DECAY_INTERVAL;
    }
  }

  /** Called when the password was right. */
  synchronized void onSucceeded(Octets network) {
    NetworkRecord networkRecord = endComparison(network);
    networkRecord.failures = 0;
    networkRecord.hasSucceeded = true;
  }

  /** Called when the password was wrong. */
  synchronized void onFailed(Octets network, long now) {
    NetworkRecord networkRecord = endComparison(network);
    networkRecord.failures++;
    networkRecord.hasSucceeded &= networkRecord.failures < FREE_FAILURES;
    networkRecord.last = now;
    totalFailures++;
  }

  /** Called when the password was not verified. */
  synchronized void onDropped(Octets network) {
    endComparison(network);
  }

  private NetworkRecord endComparison(Octets network) {
    NetworkRecord networkRecord = byNetwork.computeIfAbsent(network, none -> new NetworkRecord());
    networkRecord.underWay = Math.max(0, networkRecord.underWay - 1);
    return networkRecord;
  }

  /** Returns the number of networks remembered. */
  synchronized int size() {
    return byNetwork.size();
  }
}
