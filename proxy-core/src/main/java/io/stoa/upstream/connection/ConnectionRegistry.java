// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections that one event loop has to servers, by number, whoever uses them. Event-loop
 * confined.
 */
public final class ConnectionRegistry {
  private final LongSupplier numbers;
  private final Map<Long, UpstreamConnection> connections = new LinkedHashMap<>();

  /**
   * Makes it empty.
   *
   * @param numbers gives each connection a number that no other has
   */
  ConnectionRegistry(LongSupplier numbers) {
    this.numbers = numbers;
  }

  /** It is there until it ends. */
  void enter(UpstreamConnection connection) {
    Long number = numbers.getAsLong();
    connection.account().number(number);
    connections.put(number, connection);
    connection.channel().closeFuture().addListener(closed -> connections.remove(number));
  }

  /** Those that have not ended, as they are now. */
  public List<UpstreamConnection> all() {
    return connections.values().stream().filter(one -> !one.closed()).toList();
  }

  /** The one of that number; null if there is none, or it has ended. */
  public @Nullable UpstreamConnection get(long number) {
    UpstreamConnection one = connections.get(number);
    return one == null || one.closed() ? null : one;
  }
}
