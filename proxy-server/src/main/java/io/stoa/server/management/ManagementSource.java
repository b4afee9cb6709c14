// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.stoa.metrics.OperationCounters;
import io.stoa.proxy.ProxyStatus;
import io.stoa.upstream.server.ServerAddress;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What the management listener shows and switches. Immutable.
 *
 * @param counters what clients did
 * @param status looks at the proxy
 * @param servers the directory servers
 * @param caching switches all caching on or off
 */
public record ManagementSource(
    OperationCounters counters,
    Supplier<ProxyStatus> status,
    List<ServerAddress> servers,
    Consumer<Boolean> caching) {
  public ManagementSource {
    servers = List.copyOf(servers);
  }
}
