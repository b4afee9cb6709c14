// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.cache.result.CacheStage;
import io.stoa.cache.result.Caches.CachedResultRef;
import io.stoa.cache.result.Caches.ClockAndRandom;
import io.stoa.coherence.tracking.CoherenceDomains;
import io.stoa.coherence.tracking.FeedCoverage;
import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.operation.BackgroundRequests;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.ResponseCollector;
import io.stoa.operation.ResponseCollector.CollectedResponse;
import io.stoa.operation.ResponseCollector.Limit;
import io.stoa.operation.Restriction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One event loop, on which maintenance sends requests in the name of the loop's clients. A request
 * is cancelled when its client rebinds or disconnects.
 *
 * <p>Threading: event-loop confined.
 */
final class MaintenanceLoop {
  /**
   * Minimum time between two readings of the client list: 500 ms. Later clients are unknown until
   * then.
   */
  private static final long KNOWN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final int SUCCESS = 0;
  private static final int NO_SUCH_OBJECT = 32;
  private static final int MAX_OCTETS = 4 << 20;

  private final EventExecutor loop;
  private final CacheStage stage;
  private final Context context;
  private final BackgroundRequests requests;
  private Map<Octets, ClientSession> clients = Map.of();
  private Map<Octets, ClientSession> secondClients = Map.of();
  private Map<Octets, ClientSession> names = Map.of();
  private long readNanos;

  MaintenanceLoop(EventExecutor loop, CacheStage stage, Context context) {
    this.loop = loop;
    this.stage = stage;
    this.context = context;
    this.requests = new BackgroundRequests(stage);
    this.readNanos = now() - KNOWN_NANOS;
  }

  /**
   * Collaborators of an event loop.
   *
   * <p>Threading: immutable.
   *
   * @param clients the clients of the event loop
   * @param partitions the partitions of an identity
   * @param decoder decoder of requests
   * @param domains the change feeds and their coverage
   * @param clockAndRandom clock and random source of the caches
   */
  record Context(
      Supplier<List<ClientSession>> clients,
      Function<ClientIdentity, Set<Octets>> partitions,
      RequestDecoder decoder,
      Supplier<CoherenceDomains> domains,
      ClockAndRandom clockAndRandom) {}

  EventExecutor loop() {
    return loop;
  }

  /** Returns the time in ns, as {@link System#nanoTime}. */
  long now() {
    return context.clockAndRandom().clock().getAsLong();
  }

  CacheStage stage() {
    return stage;
  }

  /** Returns the coverage of the feed that reports all of a search, or null. */
  @Nullable FeedCoverage coverage(Operation search) {
    return context.domains().get().coverageOf(search);
  }

  /**
   * Returns a client that would be served the result, or null if none is connected here. Prefers
   * the identity that read the result, if a class shares it.
   */
  @Nullable ClientSession client(CachedResultRef result) {
    return find(() -> findClient(result));
  }

  /**
   * Returns a client that would be served the result but has not read it, or null. Its answer also
   * verifies that the class may share the result.
   */
  @Nullable ClientSession witness(CachedResultRef result) {
    return find(() -> findOtherClient(result));
  }

  /** Returns a known client, after a new reading of the client list if needed. */
  private @Nullable ClientSession find(Supplier<@Nullable ClientSession> lookup) {
    ClientSession first = lookup.get();
    if (first != null || now() - readNanos < KNOWN_NANOS) {
      return first;
    }
    readClients();
    return lookup.get();
  }

  private @Nullable ClientSession findOtherClient(CachedResultRef result) {
    Octets partition = result.partition();
    return Stream.of(clients, secondClients)
        .map(byPartition -> byPartition.get(partition))
        .filter(one -> one != null && isOf(one, partition) && !isReader(one, result))
        .findFirst()
        .orElse(null);
  }

  private static boolean isReader(ClientSession client, CachedResultRef result) {
    return client.identity().name().equals(result.reader());
  }

  /** Returns a known client of the identity, or null. */
  @Nullable ClientSession clientNamed(Octets identity) {
    ClientSession client = names.get(identity);
    boolean same = client != null && isUsable(client) && client.identity().name().equals(identity);
    return same ? client : null;
  }

  private @Nullable ClientSession findClient(CachedResultRef result) {
    Octets reader = result.reader();
    ClientSession first = reader == null ? null : names.get(reader);
    if (first != null && isOf(first, result.partition())) {
      return first;
    }
    ClientSession client = clients.get(result.partition());
    return client != null && isOf(client, result.partition()) ? client : null;
  }

  private void readClients() {
    readNanos = now();
    Map<Octets, ClientSession> firstClients = new HashMap<>();
    Map<Octets, ClientSession> moreClients = new HashMap<>();
    Map<Octets, ClientSession> clientsByName = new HashMap<>();
    List<ClientSession> all = new ArrayList<>(context.clients().get());
    Random random = new Random(context.clockAndRandom().random().applyAsInt(Integer.MAX_VALUE));
    Collections.shuffle(all, random); // random order, so that each client has its turn
    for (ClientSession client : all) {
      if (isUsable(client)) {
        context
            .partitions()
            .apply(client.identity())
            .forEach(partition -> addClient(partition, client, firstClients, moreClients));
        clientsByName.put(client.identity().name(), client);
      }
    }
    clients = firstClients;
    secondClients = moreClients;
    names = clientsByName;
  }

  /** Notes one client of each partition, and a second one of another identity if there is one. */
  private static void addClient(
      Octets partition,
      ClientSession client,
      Map<Octets, ClientSession> first,
      Map<Octets, ClientSession> second) {
    ClientSession earlier = first.putIfAbsent(partition, client);
    if (earlier != null && !earlier.identity().name().equals(client.identity().name())) {
      second.putIfAbsent(partition, client);
    }
  }

  private boolean isOf(ClientSession client, Octets partition) {
    return isUsable(client) && context.partitions().apply(client.identity()).contains(partition);
  }

  /** True if requests in the name of the client may use a shared connection. */
  static boolean isUsable(ClientSession client) {
    return client.isOpen()
        && client.restriction() == Restriction.NONE
        && !client.identity().isAdministrator();
  }

  /** Creates an operation in the name of a client, which the client does not see. */
  Operation operation(ClientSession client, Octets request) {
    return operation(client, request, answer -> {});
  }

  /**
   * Creates an operation in the name of a client, which the client does not see.
   *
   * @param outcome called once with the answer; null if there is no usable one
   */
  Operation operation(
      ClientSession client, Octets request, Consumer<@Nullable ResponseContents> outcome) {
    LdapMessage message = LdapMessage.ofBody(1, request.array());
    Operation operation =
        new Operation(
            client,
            message,
            context.decoder(),
            now(),
            newOperation ->
                new ResponseCollector(
                    newOperation,
                    Limit.wholeAnswer(MAX_OCTETS),
                    answer -> {
                      requests.onEnded(newOperation);
                      outcome.accept(contents(answer));
                    }));
    requests.add(operation);
    return operation;
  }

  /**
   * Returns the contents of an answer; null if the result code, such as busy, says nothing about
   * the client's rights.
   */
  private static @Nullable ResponseContents contents(CollectedResponse answer) {
    int code = answer.code();
    if (!answer.complete() || (code != SUCCESS && code != NO_SUCH_OBJECT)) {
      return null;
    }
    try {
      return ResponseContents.of(code, answer.octets());
    } catch (LdapProtocolException e) {
      return null; // a malformed entry cannot be compared
    }
  }
}
