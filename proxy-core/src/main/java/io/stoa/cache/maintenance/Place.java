// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.cache.result.CacheStage;
import io.stoa.cache.result.Caches.Kept;
import io.stoa.cache.result.Caches.Means;
import io.stoa.coherence.tracking.CoherenceDomains;
import io.stoa.coherence.tracking.FeedCoverage;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.Restriction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One event loop, where things are asked again as a client that lives there. What is under way ends
 * when that client binds again or leaves. Event-loop confined.
 */
final class Place {
  /** Clients that have come later are not known yet. */
  private static final long KNOWN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final EventExecutor loop;
  private final CacheStage stage;
  private final Terms terms;
  private final Map<ClientSession, Set<Operation>> running = new HashMap<>();
  private Map<Octets, ClientSession> clients = Map.of();
  private Map<Octets, ClientSession> others = Map.of();
  private Map<Octets, ClientSession> names = Map.of();
  private long lookedAt;

  Place(EventExecutor loop, CacheStage stage, Terms terms) {
    this.loop = loop;
    this.stage = stage;
    this.terms = terms;
    this.lookedAt = now() - KNOWN_NANOS;
  }

  /**
   * What a place finds around it. Immutable.
   *
   * @param clients that live there
   * @param partitions for whom what an identity reads is kept
   * @param decoder of requests
   * @param realms of which parts of the tree feeds tell
   * @param means as the caches have them
   */
  record Terms(
      Supplier<List<ClientSession>> clients,
      Function<ClientIdentity, Set<Octets>> partitions,
      RequestDecoder decoder,
      Supplier<CoherenceDomains> realms,
      Means means) {}

  EventExecutor loop() {
    return loop;
  }

  /** In the time of {@link System#nanoTime}. */
  long now() {
    return terms.means().clock().getAsLong();
  }

  CacheStage stage() {
    return stage;
  }

  /** Where all lies that a search is about; null if no feed tells of all of it. */
  @Nullable FeedCoverage ground(Operation search) throws LdapProtocolException {
    return terms.realms().get().of(search);
  }

  /**
   * A client that would be given what is kept; null if none is connected here. If it is kept for
   * many, then the one as whom it was read is the first choice.
   */
  @Nullable ClientSession client(Kept kept) {
    return find(() -> known(kept));
  }

  /**
   * A client that would be given what is kept, and has not read it; null if none is connected here.
   * What it is given says as much of the directory, and something of those who share it.
   */
  @Nullable ClientSession witness(Kept kept) {
    return find(() -> other(kept));
  }

  /** Somebody who is known here, or else becomes known by looking at who is connected now. */
  private @Nullable ClientSession find(Supplier<@Nullable ClientSession> known) {
    ClientSession first = known.get();
    if (first != null || now() - lookedAt < KNOWN_NANOS) {
      return first;
    }
    look();
    return known.get();
  }

  private @Nullable ClientSession other(Kept kept) {
    Octets partition = kept.partition();
    return Stream.of(clients, others)
        .map(known -> known.get(partition))
        .filter(one -> one != null && isOf(one, partition) && !isReader(one, kept))
        .findFirst()
        .orElse(null);
  }

  private static boolean isReader(ClientSession client, Kept kept) {
    return client.identity().name().equals(kept.reader());
  }

  /** A client of that identity; null if none is known here. */
  @Nullable ClientSession named(Octets identity) {
    ClientSession known = names.get(identity);
    boolean same = known != null && isFree(known) && known.identity().name().equals(identity);
    return same ? known : null;
  }

  private @Nullable ClientSession known(Kept kept) {
    Octets reader = kept.reader();
    ClientSession first = reader == null ? null : names.get(reader);
    if (first != null && isOf(first, kept.partition())) {
      return first;
    }
    ClientSession known = clients.get(kept.partition());
    return known != null && isOf(known, kept.partition()) ? known : null;
  }

  private void look() {
    lookedAt = now();
    Map<Octets, ClientSession> now = new HashMap<>();
    Map<Octets, ClientSession> more = new HashMap<>();
    Map<Octets, ClientSession> named = new HashMap<>();
    List<ClientSession> all = new ArrayList<>(terms.clients().get());
    Random random = new Random(terms.means().dice().applyAsInt(Integer.MAX_VALUE));
    Collections.shuffle(all, random); // so that each of them has its turn
    for (ClientSession client : all) {
      if (isFree(client)) {
        terms.partitions().apply(client.identity()).forEach(of -> note(of, client, now, more));
        named.put(client.identity().name(), client);
      }
    }
    clients = now;
    others = more;
    names = named;
  }

  /** One of each partition, and one of another identity, if there is one. */
  private static void note(
      Octets partition,
      ClientSession client,
      Map<Octets, ClientSession> first,
      Map<Octets, ClientSession> second) {
    ClientSession known = first.putIfAbsent(partition, client);
    if (known != null && !known.identity().name().equals(client.identity().name())) {
      second.putIfAbsent(partition, client);
    }
  }

  private boolean isOf(ClientSession client, Octets partition) {
    return isFree(client) && terms.partitions().apply(client.identity()).contains(partition);
  }

  /** Whether it can be acted for on a connection that others use, too. */
  static boolean isFree(ClientSession client) {
    return client.open()
        && client.restriction() == Restriction.NONE
        && !client.identity().isAdministrator();
  }

  /** Makes an operation of a client's, of which the client does not know. */
  Operation operation(
      ClientSession client, Octets request, Function<Operation, ResponseSink> sink) {
    Operation operation =
        new Operation(client, LdapMessage.again(1, request.array()), terms.decoder(), now(), sink);
    Set<Operation> own = running.get(client);
    if (own == null) {
      own = new HashSet<>();
      running.put(client, own);
      client.onReset(() -> reset(client));
    }
    own.removeIf(Operation::ended);
    own.add(operation);
    return operation;
  }

  private void reset(ClientSession client) {
    Set<Operation> own = running.remove(client);
    if (own != null) {
      new ArrayList<>(own).forEach(Operation::abandon);
    }
  }
}
