// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.auth;

import io.stoa.ldap.protocol.Octets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Slows down whoever guesses passwords: each network after three failures, for a second, and twice
 * as long after each further one; and all networks together, but for those from where the right
 * password came last. What is remembered is bounded. Thread-safe.
 */
final class FailedBinds {
  /** Networks that are remembered; the one that was not heard of for longest is forgotten. */
  static final int MOST_NETWORKS = 1_000;

  /** Attempts of one network that may be under way at once. */
  static final int MOST_AT_ONCE = 2;

  private static final int FREE_FAILURES = 3;
  private static final int LONGEST_SHIFT = 6;
  private static final long FIRST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  /** So many failures of all networks may come in a burst, and one more after each pause. */
  static final int MOST_OF_ALL = 50;

  private static final long PAUSE_OF_ALL = TimeUnit.SECONDS.toNanos(1);

  private final Map<Octets, Tries> byNetwork =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Octets, Tries> eldest) {
          return size() > MOST_NETWORKS;
        }
      };

  private int ofAll;
  private long ofAllSince;

  /** What is known of a network. Confined to whoever holds the lock. */
  private static final class Tries {
    int underWay;
    int failures;
    long last;
    boolean good;

    boolean pauses(long now) {
      int over = failures - FREE_FAILURES;
      return over >= 0 && now - last < FIRST_PAUSE << Math.min(over, LONGEST_SHIFT);
    }
  }

  /** Whether an attempt may be made now; if so, it must be told how it ended. */
  synchronized boolean begin(Octets network, long now) {
    Tries known = byNetwork.computeIfAbsent(network, none -> new Tries());
    forgive(now);
    boolean may =
        known.underWay < MOST_AT_ONCE && !known.pauses(now) && (known.good || ofAll < MOST_OF_ALL);
    if (may) {
      known.underWay++;
    }
    return may;
  }

  private void forgive(long now) {
    long pauses = (now - ofAllSince) / PAUSE_OF_ALL;
    if (ofAll == 0 || pauses >= ofAll) {
      ofAll = 0;
      ofAllSince = now;
    } else if (pauses > 0) {
      ofAll -= (int) pauses;
      ofAllSince += pauses * PAUSE_OF_ALL;
    }
  }

  /** It was the right password. */
  synchronized void succeeded(Octets network) {
    Tries known = ended(network);
    known.failures = 0;
    known.good = true;
  }

  /** It was another one. */
  synchronized void failed(Octets network, long now) {
    Tries known = ended(network);
    known.failures++;
    known.last = now;
    ofAll++;
  }

  /** It was not looked at. */
  synchronized void dropped(Octets network) {
    ended(network);
  }

  private Tries ended(Octets network) {
    Tries known = byNetwork.computeIfAbsent(network, none -> new Tries());
    known.underWay = Math.max(0, known.underWay - 1);
    return known;
  }

  /** How many networks are remembered. */
  synchronized int size() {
    return byNetwork.size();
  }
}
