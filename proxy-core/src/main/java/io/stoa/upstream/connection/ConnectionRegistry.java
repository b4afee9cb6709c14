// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The upstream connections of one event loop by number, whatever their use.
 *
 * <p>Threading: event loop.
 */
public final class ConnectionRegistry {
  private final LongSupplier numbers;
  private final Map<Long, UpstreamConnection> connections = new LinkedHashMap<>();

  /**
   * Creates an empty registry.
   *
   * @param numbers source of unique connection numbers
   */
  ConnectionRegistry(LongSupplier numbers) {
    this.numbers = numbers;
  }

  /** Registers a connection until it ends. */
  void add(UpstreamConnection connection) {
    Long number = numbers.getAsLong();
    connection.lifetime().number(number);
    connections.put(number, connection);
    connection.channel().closeFuture().addListener(closed -> connections.remove(number));
  }

  /** Returns the connections that have not ended. */
  public List<UpstreamConnection> all() {
    return connections.values().stream().filter(one -> !one.isClosed()).toList();
  }

  /** Returns the connection with that number; null if it is unknown or has ended. */
  public @Nullable UpstreamConnection get(long number) {
    UpstreamConnection one = connections.get(number);
    return one == null || one.isClosed() ? null : one;
  }
}
