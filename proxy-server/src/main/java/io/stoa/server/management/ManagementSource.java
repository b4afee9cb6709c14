// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.stoa.metrics.ProxyStatus;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.upstream.server.ServerAddress;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Sources of the management pages.
 *
 * <p>Threading: immutable.
 *
 * @param counters counters of operations
 * @param status reads the status of the proxy
 * @param digests reads the search digests with the largest total time at directories, at most the
 *     given number
 * @param servers the directory servers
 * @param caching switches all caching on or off
 */
public record ManagementSource(
    OperationCounters counters,
    Supplier<ProxyStatus> status,
    IntFunction<List<DigestStatus>> digests,
    List<ServerAddress> servers,
    Consumer<Boolean> caching) {
  public ManagementSource {
    servers = List.copyOf(servers);
  }
}
