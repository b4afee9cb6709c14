// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import io.stoa.adapt.AdaptConfig;
import io.stoa.cache.CacheConfig;
import io.stoa.frontend.ClientLimits;
import io.stoa.frontend.ListenerConfig;
import io.stoa.upstream.UpstreamConfig;
import java.util.List;

/**
 * Everything a proxy is told at its start. Immutable.
 *
 * @param listeners where clients are accepted
 * @param upstream the directory servers
 * @param cache sizes and rules of the caches
 * @param adapt where answers may differ from the directory's
 * @param limits what a client may take
 * @param eventLoops threads that move octets; 0 is one per processor
 */
public record ProxyConfig(
    List<ListenerConfig> listeners,
    UpstreamConfig upstream,
    CacheConfig cache,
    AdaptConfig adapt,
    ClientLimits limits,
    int eventLoops) {

  public ProxyConfig {
    listeners = List.copyOf(listeners);
    if (listeners.isEmpty()) {
      throw new IllegalArgumentException("at least one listener is needed");
    }
    listeners.forEach(listener -> refuseLoop(listener, upstream));
    if (eventLoops < 0) {
      throw new IllegalArgumentException("eventLoops " + eventLoops + " is below 0");
    }
    if (limits.operationsInFlight() > upstream.queueLimit()) {
      throw new IllegalArgumentException(
          "operationsInFlight "
              + limits.operationsInFlight()
              + " is above queueLimit "
              + upstream.queueLimit()
              + ": one client could fill the queue");
    }
  }

  /** The defaults for one listener and the given servers. */
  public static ProxyConfig of(ListenerConfig listener, UpstreamConfig upstream) {
    return new ProxyConfig(
        List.of(listener),
        upstream,
        CacheConfig.DEFAULTS,
        AdaptConfig.DEFAULTS,
        ClientLimits.DEFAULTS,
        0);
  }

  private static void refuseLoop(ListenerConfig listener, UpstreamConfig upstream) {
    String address = listener.host() + ":" + listener.port();
    boolean loop =
        upstream.servers().stream()
            .anyMatch(server -> address.equals(server.host() + ":" + server.port()));
    if (loop) {
      throw new IllegalArgumentException("an upstream is Stoa's own listener " + address);
    }
  }
}
