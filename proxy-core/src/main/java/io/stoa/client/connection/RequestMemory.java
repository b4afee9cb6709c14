// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.net.transport.PressureLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.LoggerFactory;

/**
 * Limits the memory of the requests of all clients, from their first octet until they are answered.
 *
 * <ol>
 *   <li>Beyond the limit, clients are disconnected. The next one is chosen from the network that
 *       holds most, and there from the identity that holds most. Within that identity, it is the
 *       client with the slowest requests.
 *   <li>Requests of a disconnected client no longer count, though a busy event loop may free them a
 *       moment later. For that moment up to twice the limit may be in use, which must fit the
 *       direct memory.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
final class RequestMemory {
  /**
   * Divisor: a sixteenth of the limit is freed at once, so that one search frees several clients'
   * requests.
   */
  private static final int FREED_SHARE = 16;

  private final LongSupplier bound;
  private final Set<HeldRequests> requests = ConcurrentHashMap.newKeySet();
  private final AtomicLong total = new AtomicLong();
  private final AtomicBoolean freeing = new AtomicBoolean();
  private final PressureLog log =
      new PressureLog(
          LoggerFactory.getLogger(RequestMemory.class),
          "limits.requestMemory reached: clients with the slowest requests were disconnected "
              + "(count={}, stoa_connections_shed_total)");

  /**
   * Creates a limit.
   *
   * @param bound supplies the maximum octets of the requests of all clients
   */
  RequestMemory(LongSupplier bound) {
    this.bound = bound;
  }

  /** Creates the record of a client's requests, which counts until the connection ends. */
  HeldRequests track(ClientConnection client) {
    HeldRequests request = new HeldRequests(client, this);
    requests.add(request);
    client.channel().closeFuture().addListener(closed -> leave(request));
    return request;
  }

  private void leave(HeldRequests request) {
    requests.remove(request);
    total.addAndGet(-request.stop());
  }

  /** Called when the memory of a client's requests has changed by that number of octets. */
  void onChange(int octets) {
    long now = total.addAndGet(octets);
    while (octets > 0 && now > bound.getAsLong() && freeing.compareAndSet(false, true)) {
      List<HeldRequests> slowest;
      try {
        slowest = choose();
      } finally {
        freeing.set(false);
      }
      slowest.forEach(HeldRequests::giveUp);
      now = slowest.isEmpty() ? 0 : total.get();
    }
  }

  private List<HeldRequests> choose() {
    long goal = bound.getAsLong() - bound.getAsLong() / FREED_SHARE;
    List<HeldRequests> chosen = new ArrayList<>();
    RequestShares shares = RequestShares.of(requests, System.nanoTime());
    while (total.get() > goal && shares.hasMore()) {
      HeldRequests slowest = shares.takeSlowest();
      int octets = slowest.stop();
      if (octets > 0) {
        total.addAndGet(-octets);
        chosen.add(slowest);
        log.increment();
      }
    }
    return chosen;
  }

  /** Returns the octets of all requests now. */
  long octets() {
    return total.get();
  }

  /** Logs disconnected clients, if a log line is due. Called periodically. */
  void report() {
    log.report();
  }
}
