// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.metrics.OperationCounters;
import io.stoa.operation.ClientSession;
import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientStatus;
import io.stoa.proxy.ProxyStatus;
import io.stoa.server.admin.action.Action;
import io.stoa.server.admin.action.Actions;
import io.stoa.server.localtree.AnswerQueue;
import io.stoa.upstream.connection.ConnectionStatus;
import io.stoa.upstream.server.ServerAddress;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Where {@code cn=monitor} gets its values. Immutable.
 *
 * @param counters what clients did
 * @param status looks at the proxy
 * @param survey has counted again what the status tells as it was a moment ago
 * @param connections looks at those to directory servers, as far as they are wanted
 * @param audience what a client may see
 * @param version the product and its version
 * @param times how times are printed
 * @param clock tells the time
 * @param started when Stoa started
 * @param offers what entries can be told to do
 * @param actions does that
 * @param answers finds answers beside the event loops
 * @param administrator whether there is anybody who may have it done
 */
public record MonitorSource(
    OperationCounters counters,
    Supplier<ProxyStatus> status,
    Survey survey,
    Function<ClientChoice, CompletableFuture<List<ConnectionStatus>>> connections,
    Function<ClientSession, Audience> audience,
    String version,
    TimeForm times,
    Clock clock,
    Instant started,
    Offers offers,
    Actions actions,
    AnswerQueue answers,
    boolean administrator) {

  /** What entries can be told to do. Thread-safe. */
  public interface Offers {
    /** The verb that ends a client's connection. */
    String DISCONNECT = "disconnect";

    /** The verb that lets a connection to a directory server end. */
    String CLOSE = "close";

    /** What the caches can. */
    List<Action> caches();

    /** What looks after the caches can. */
    List<Action> upkeep();

    /** What a window can. */
    List<Action> window(String name);

    /** What a client's connection can. */
    List<Action> client(long number);

    /** What a connection to a directory server can. */
    List<Action> connection(long number);

    /** What a directory server can. */
    List<Action> server(ServerAddress server);
  }

  /** Looks at the clients. Thread-safe. */
  @FunctionalInterface
  public interface Survey {
    /**
     * Counts them.
     *
     * @param choice which of them are wanted themselves, too
     */
    CompletableFuture<List<ClientStatus>> take(ClientChoice choice);
  }
}
