// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.stoa.metrics.ProxyStatus;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.upstream.server.ServerAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
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
 * @param monitor reads {@code cn=monitor}
 */
public record ManagementSource(
    OperationCounters counters,
    Supplier<ProxyStatus> status,
    IntFunction<List<DigestStatus>> digests,
    List<ServerAddress> servers,
    Consumer<Boolean> caching,
    MonitorReader monitor) {
  /** Reads {@code cn=monitor}. Threading: thread-safe. */
  @FunctionalInterface
  public interface MonitorReader {
    /**
     * Returns entries as JSON.
     *
     * @param bases DNs of the subtrees to read; none for the whole tree
     * @param executor computes the text
     */
    CompletableFuture<String> read(List<String> bases, Executor executor);
  }

  public ManagementSource {
    servers = List.copyOf(servers);
  }
}
