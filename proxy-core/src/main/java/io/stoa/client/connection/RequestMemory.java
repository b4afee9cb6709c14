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
 * Bounds the memory of the requests of all clients, from their first octet until they are answered.
 * Beyond the bound clients are given up: of the network that holds most the identity that holds
 * most, and of that the client with the slowest requests.
 *
 * <p>Requests of a client that is given up count no more, though its event loop may be busy and
 * free them a moment later. So up to twice the bound may be taken for that moment, which must fit
 * the direct memory.
 *
 * <p>Thread-safe.
 */
final class RequestMemory {
  /** Part of the bound that is freed at once, so that each search for the slowest frees several. */
  private static final int FREED_SHARE = 16;

  private final LongSupplier bound;
  private final Set<HeldRequests> requests = ConcurrentHashMap.newKeySet();
  private final AtomicLong total = new AtomicLong();
  private final AtomicBoolean freeing = new AtomicBoolean();
  private final PressureLog log =
      new PressureLog(
          LoggerFactory.getLogger(RequestMemory.class),
          "limits.requestMemory is reached: {} clients were disconnected, whose requests"
              + " were the slowest (stoa_requests_given_up_total)");

  /** Given the octets that the requests of all clients may take. */
  RequestMemory(LongSupplier bound) {
    this.bound = bound;
  }

  /** Returns what notes the memory of a client's requests until its connection ends. */
  HeldRequests of(ClientConnection client) {
    HeldRequests request = new HeldRequests(client, this);
    requests.add(request);
    client.channel().closeFuture().addListener(closed -> leave(request));
    return request;
  }

  private void leave(HeldRequests request) {
    requests.remove(request);
    total.addAndGet(-request.stop());
  }

  /** The memory of a client's requests has changed by so many octets. */
  void changed(int octets) {
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
    while (total.get() > goal && shares.any()) {
      HeldRequests slowest = shares.takeSlowest();
      int octets = slowest.stop();
      if (octets > 0) {
        total.addAndGet(-octets);
        chosen.add(slowest);
        log.happened();
      }
    }
    return chosen;
  }

  /** Returns the octets that requests take now. */
  long octets() {
    return total.get();
  }

  /** Logs what has happened, if it is time to. Called now and then. */
  void report() {
    log.report();
  }
}
