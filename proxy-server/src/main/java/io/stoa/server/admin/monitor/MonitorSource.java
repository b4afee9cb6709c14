// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.metrics.ProxyStatus;
import io.stoa.operation.ClientSession;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientStatus;
import io.stoa.proxy.advice.AdviceReport;
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
import org.jspecify.annotations.Nullable;

/**
 * Sources of the values of {@code cn=monitor}.
 *
 * <p>Threading: immutable.
 *
 * @param counters counters of operations
 * @param status reads the status of the proxy; its counts of clients are those of the last survey
 * @param survey counts clients on all event loops, and so refreshes the status
 * @param connections lists the chosen connections to directory servers
 * @param digests reads the statistics of searches: of each pattern if true, and of all others
 * @param advice derives advice from live traffic; null while Stoa is starting
 * @param warnings reads the last warnings and errors of the log, the newest first
 * @param audience returns the rights of a client
 * @param version product and version
 * @param times format of times
 * @param clock the clock
 * @param started start time of Stoa
 * @param entryActions actions that entries offer
 * @param actions runs actions
 * @param answers computes answers off the event loops
 * @param administrator true if Stoa has an administrator
 */
public record MonitorSource(
    OperationCounters counters,
    Supplier<ProxyStatus> status,
    ClientSurvey survey,
    Function<ClientChoice, CompletableFuture<List<ConnectionStatus>>> connections,
    Function<Boolean, List<DigestStatus>> digests,
    Supplier<@Nullable AdviceReport> advice,
    Supplier<List<String>> warnings,
    Function<ClientSession, Audience> audience,
    String version,
    TimeForm times,
    Clock clock,
    Instant started,
    EntryActions entryActions,
    Actions actions,
    AnswerQueue answers,
    boolean administrator) {

  /** Returns the actions that each entry offers. Threading: thread-safe. */
  public interface EntryActions {
    /** Verb that closes a client's connection. */
    String DISCONNECT = "disconnect";

    /** Verb that drains and closes a connection to a directory server. */
    String CLOSE = "close";

    /** Returns the actions of the caches. */
    List<Action> caches();

    /** Returns the actions of the search digests. */
    List<Action> digests();

    /** Returns the actions of the advice. */
    List<Action> advice();

    /** Returns the actions of cache maintenance. */
    List<Action> maintenance();

    /** Returns the actions of a write window. */
    List<Action> window(String name);

    /** Returns the actions of a client's connection. */
    List<Action> client(long number);

    /** Returns the actions of a connection to a directory server. */
    List<Action> connection(long number);

    /** Returns the actions of a directory server. */
    List<Action> server(ServerAddress server);
  }

  /** Counts and lists clients. Threading: thread-safe. */
  @FunctionalInterface
  public interface ClientSurvey {
    /**
     * Counts all clients and lists some.
     *
     * @param choice clients to list
     */
    CompletableFuture<List<ClientStatus>> take(ClientChoice choice);
  }
}
