// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Credentials;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The clients of one event loop that have a simple bind, until they bind again or disconnect.
 *
 * <p>Threading: event loop, except methods that post.
 */
public final class BoundClients {
  /** Time after a password was accepted during which all clients with it bind at once: 1 s. */
  private static final long ACCEPTED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int MAX_DOUBTS = 1000;

  /** Time for which a doubted password of a name is not tried on replicas: 30 s. */
  private static final Duration DOUBTED = Duration.ofSeconds(30);

  private final EventExecutor loop;
  private final BindCoalescer rebinds;

  /** The clients by name; a set of one is immutable, which is the usual case. */
  private final Map<Octets, Set<ClientSession>> byName = new HashMap<>();

  private final Map<ClientSession, Bound> bindings = new HashMap<>();
  private final RecentNames doubtedNames = new RecentNames(MAX_DOUBTS, DOUBTED);
  private final Predicate<ClientSession> served;
  private final Consumer<Octets> identityLeft;
  private long lastBindNumber;

  /**
   * Creates the registry of one loop.
   *
   * @param served true for a client that is served without its password
   * @param identityLeft receives a name when its last client has left
   */
  public BoundClients(
      EventExecutor loop,
      BindCoalescer rebinds,
      Predicate<ClientSession> served,
      Consumer<Octets> identityLeft) {
    this.loop = loop;
    this.served = served;
    this.identityLeft = identityLeft;
    this.rebinds = rebinds;
    rebinds.join(this);
  }

  /**
   * Returns the next bind number. A directory evaluates rights at the bind, so a higher number is
   * newer.
   */
  public long nextBindNumber() {
    return ++lastBindNumber;
  }

  /**
   * Called when a client has bound.
   *
   * @param bindNumber bind number
   */
  public void onBound(ClientSession session, Octets name, long bindNumber) {
    Bound bound = new Bound(session, name, bindNumber);
    Set<ClientSession> alone = Set.of(session);
    Set<ClientSession> others = byName.putIfAbsent(name, alone);
    if (others instanceof LinkedHashSet) {
      others.add(session);
    } else if (others != null && !others.contains(session)) {
      Set<ClientSession> both = new LinkedHashSet<>(others);
      both.add(session);
      byName.put(name, both);
    }
    bindings.put(session, bound);
    session.onReset(bound);
  }

  /**
   * The bind of one client, until the client's state is reset.
   *
   * <p>Threading: event loop.
   */
  private final class Bound implements Runnable {
    private final ClientSession session;
    private final Octets name;
    private final long number;

    Bound(ClientSession session, Octets name, long number) {
      this.session = session;
      this.name = name;
      this.number = number;
    }

    @Override
    public void run() {
      bindings.remove(session);
      Set<ClientSession> sessions = byName.get(name);
      if (sessions instanceof LinkedHashSet && sessions.size() > 1) {
        sessions.remove(session);
      } else if (sessions != null && sessions.contains(session)) {
        byName.remove(name);
        identityLeft.accept(name);
      }
    }
  }

  /** Returns the bind number of the client; 0 if it has not bound. */
  public long bindNumber(ClientSession session) {
    Bound bound = bindings.get(session);
    return bound == null ? 0 : bound.number;
  }

  /**
   * Returns the clients that bound as the name, no later than {@code bindNumber}. Clients that need
   * a connection of their own are excluded.
   */
  public List<ClientSession> boundUpTo(Octets name, long bindNumber) {
    return byName.getOrDefault(name, Set.of()).stream()
        .filter(session -> bindNumber(session) <= bindNumber)
        .filter(session -> session.restriction() != Restriction.EXCLUSIVE)
        .toList();
  }

  /**
   * Returns the credentials of a client that is bound as the name; null if there are none.
   *
   * @param exposed true if the password would be sent in cleartext
   */
  public @Nullable Credentials kept(Octets name, boolean exposed) {
    return kept(name, exposed, Stream.empty(), byName.getOrDefault(name, Set.of()));
  }

  /**
   * Returns the client's credentials, if it still has that name and they were stored; else null.
   */
  private static @Nullable Credentials kept(ClientSession session, Octets name, boolean exposed) {
    Credentials stored = session.identity().credentials();
    boolean boundAsName = session.isOpen() && session.identity().name().equals(name);
    return boundAsName && stored != null && stored.bindRequest(exposed) != null ? stored : null;
  }

  /**
   * Returns credentials of one of these clients, those in {@code first} before others; null if
   * there are none. Only clients that have bound at this directory count: no password goes to
   * another one.
   *
   * @param exposed true if the password would be sent in cleartext
   */
  public @Nullable Credentials kept(
      Octets name, boolean exposed, Stream<ClientSession> first, Set<ClientSession> others) {
    return Stream.concat(first, others.stream())
        .filter(bindings::containsKey)
        .map(session -> kept(session, name, exposed))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  // Rebinds

  /**
   * Starts an attempt to bind as the name, on its turn. An attempt does not wait if it has no
   * credentials, or credentials that the server has just accepted.
   */
  public void awaitTurn(Octets name, BindCoalescer.Attempt attempt) {
    Credentials credentials = attempt.credentials();
    if (credentials == null || isJustAccepted(credentials, attempt)) {
      attempt.begin();
    } else {
      rebinds.await(name, this, attempt);
    }
  }

  private static boolean isJustAccepted(Credentials credentials, BindCoalescer.Attempt attempt) {
    return credentials.wasAcceptedSince(attempt.server(), System.nanoTime() - ACCEPTED_NANOS);
  }

  /** Called when an attempt has ended or is cancelled. No effect if it did not wait. */
  public void onAttemptEnded(Octets name, BindCoalescer.Attempt attempt) {
    rebinds.onEnded(name, attempt);
  }

  /**
   * Called when the server of an attempt did not respond in time. Other attempts at it are
   * cancelled.
   */
  public void onTimeout(Octets name, BindCoalescer.Attempt attempt) {
    rebinds.onTimeout(name, attempt.server());
  }

  /**
   * Runs the task on the loop.
   *
   * <p>Threading: thread-safe.
   */
  void post(Runnable task) {
    loop.execute(task);
  }

  /**
   * Runs the task on the loop after a delay.
   *
   * <p>Threading: thread-safe.
   */
  void schedule(Runnable task, long nanos) {
    loop.schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  /**
   * Called when a server has accepted the password. For 1 s all clients with the same password bind
   * there without waiting.
   */
  public void onAccepted(Octets name, Credentials tried, BindCoalescer.Attempt attempt) {
    markAccepted(name, tried, attempt.server());
    rebinds.onAccepted(name, tried, attempt.server(), this);
  }

  /**
   * Called when another loop's password was accepted. Takes ownership of the credentials.
   *
   * <p>Threading: thread-safe.
   */
  void onAcceptedElsewhere(Octets name, Credentials tried, Object server) {
    loop.execute(
        () -> {
          markAccepted(name, tried, server);
          tried.release();
        });
  }

  private void markAccepted(Octets name, Credentials tried, Object server) {
    for (ClientSession session : byName.getOrDefault(name, Set.of())) {
      Credentials stored = kept(session, name, false);
      if (stored != null && stored.samePassword(tried)) {
        stored.onAccepted(server, System.nanoTime());
      }
    }
  }

  /**
   * Called when a replica, which may not know a new password yet, has rejected the password. No
   * client is disconnected.
   *
   * <ol>
   *   <li>A one-time password of a client that a connection serves is dropped and not tried again.
   *   <li>Any other password is tried only where it is surely known.
   * </ol>
   */
  public void onDoubted(Octets name, Credentials tried) {
    rebinds.onDoubted(name, tried, this);
    markDoubtedOrDrop(name, tried);
  }

  /**
   * Called when another loop's password was doubted. Takes ownership of the credentials.
   *
   * <p>Threading: thread-safe.
   */
  void onDoubtedElsewhere(Octets name, Credentials tried) {
    loop.execute(
        () -> {
          markDoubtedOrDrop(name, tried);
          tried.release();
        });
  }

  private void markDoubtedOrDrop(Octets name, Credentials tried) {
    doubtedNames.add(name, System.nanoTime());
    for (ClientSession session : List.copyOf(byName.getOrDefault(name, Set.of()))) {
      Credentials stored = kept(session, name, false);
      if (stored != null
          && stored.samePassword(tried)
          && !dropOneTimePassword(session, name, stored)) {
        stored.doubt();
      }
    }
  }

  private void markDoubted(Octets name, Credentials tried) {
    for (ClientSession session : byName.getOrDefault(name, Set.of())) {
      Credentials stored = kept(session, name, false);
      if (stored != null && stored.samePassword(tried)) {
        stored.doubt();
      }
    }
  }

  /**
   * True if the password must not be tried on a replica. Clients that bound after the rejection are
   * marked too.
   */
  public boolean isDoubted(Octets name, Credentials credentials) {
    if (!credentials.isDoubted() && doubtedNames.holds(name, System.nanoTime())) {
      markDoubted(name, credentials);
    }
    return credentials.isDoubted();
  }

  /**
   * True if the client's password was doubted and no primary has confirmed or rejected it since.
   *
   * @param exposed true if the password would be sent in cleartext
   */
  public boolean isUnproven(ClientSession session, Octets name, boolean exposed) {
    Credentials stored = bindings.containsKey(session) ? kept(session, name, exposed) : null;
    return stored != null && stored.isUnproven();
  }

  /**
   * Called when a server has rejected the password, which is not tried again. Clients with a
   * one-time password stay on the connections that serve them. Other clients with this password are
   * disconnected, on all loops.
   */
  public void onRejected(Octets name, Credentials tried) {
    rebinds.onRejected(name, tried, this);
    disconnectRejected(name, tried);
  }

  /** True if the name recently had a one-time password. Stoa then rebinds it with no password. */
  public boolean isOneTime(Octets name) {
    return rebinds.isOneTime(name);
  }

  /**
   * Called when another loop's password was rejected. Takes ownership of the credentials.
   *
   * <p>Threading: thread-safe.
   */
  void onRejectedElsewhere(Octets name, Credentials tried) {
    loop.execute(
        () -> {
          disconnectRejected(name, tried);
          tried.release();
        });
  }

  private void disconnectRejected(Octets name, Credentials tried) {
    for (ClientSession session : List.copyOf(byName.getOrDefault(name, Set.of()))) {
      Credentials stored = kept(session, name, false);
      if (stored != null
          && stored.samePassword(tried)
          && !dropOneTimePassword(session, name, stored)) {
        session.disconnect(Rejection.REBIND_REFUSED);
      }
    }
  }

  /**
   * True if the rejected password may be a one-time password, and a connection serves its client.
   * The password is then zeroed. If the client has just bound, no password of that name is kept for
   * a day.
   */
  private boolean dropOneTimePassword(ClientSession session, Octets name, Credentials stored) {
    boolean stays = stored.mayBeOneTime() && served.test(session);
    if (stays) {
      if (stored.isFresh(System.nanoTime())) {
        rebinds.addOneTime(name);
      }
      stored.release();
    }
    return stays;
  }
}
