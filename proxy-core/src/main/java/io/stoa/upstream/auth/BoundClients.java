// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Credentials;
import io.stoa.operation.Rejection;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The clients of one event loop that have bound by a name and a password, until they bind again or
 * leave. Event-loop confined, but for what posts.
 */
public final class BoundClients {
  /** So long after a password was taken, all that need it bind at once. */
  private static final long ACCEPTED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int MOST_DOUBTS = 1000;

  /** For so long a name is not bound again where its password was doubted. */
  private static final Duration DOUBTED = Duration.ofSeconds(30);

  private final EventExecutor loop;
  private final BindCoalescer rebinds;
  private final Map<Octets, Set<ClientSession>> byName = new HashMap<>();
  private final Map<ClientSession, Long> since = new HashMap<>();
  private final RecentNames doubts = new RecentNames(MOST_DOUBTS, DOUBTED);
  private final Predicate<ClientSession> served;
  private long last;

  /**
   * Makes it for a loop.
   *
   * @param served true for a client that is served without its password
   */
  public BoundClients(EventExecutor loop, BindCoalescer rebinds, Predicate<ClientSession> served) {
    this.loop = loop;
    this.served = served;
    this.rebinds = rebinds;
    rebinds.join(this);
  }

  /** Counts the binds that are sent: what a directory has decided at a later one is newer. */
  public long next() {
    return ++last;
  }

  /**
   * A client has bound.
   *
   * @param at the count of its bind
   */
  public void bound(ClientSession session, Octets name, long at) {
    byName.computeIfAbsent(name, none -> new LinkedHashSet<>(2)).add(session);
    since.put(session, at);
    session.onReset(() -> left(session, name));
  }

  private void left(ClientSession session, Octets name) {
    since.remove(session);
    byName.computeIfPresent(
        name,
        (same, sessions) -> {
          sessions.remove(session);
          return sessions.isEmpty() ? null : sessions;
        });
  }

  /** The count of the bind by which the client is who it is; 0 if there was none. */
  public long since(ClientSession session) {
    return since.getOrDefault(session, 0L);
  }

  /** What binds as the name again, if the client still is that, and it was kept. */
  private static @Nullable Credentials kept(ClientSession session, Octets name, boolean exposed) {
    Credentials kept = session.identity().credentials();
    boolean same = session.open() && session.identity().name().equals(name);
    return same && kept != null && kept.bindRequest(exposed) != null ? kept : null;
  }

  /**
   * The same of any of these clients, of the first ones first; null if none has anything. Only of
   * clients that have bound here: no password goes to servers of another directory.
   *
   * @param exposed whether others might read it where it is to be sent
   */
  public @Nullable Credentials kept(
      Octets name, boolean exposed, Stream<ClientSession> first, Set<ClientSession> others) {
    return Stream.concat(first, others.stream())
        .filter(since::containsKey)
        .map(session -> kept(session, name, exposed))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  // Binding again

  /**
   * Has something bind as the name with what a client has left, once it is its turn. Whoever has
   * what a server has taken a moment ago, or has nothing, waits for none.
   */
  public void awaitTurn(Octets name, BindCoalescer.Attempt attempt) {
    Credentials left = attempt.credentials();
    if (left == null || isGood(left, attempt)) {
      attempt.begin();
    } else {
      rebinds.await(name, this, attempt);
    }
  }

  private static boolean isGood(Credentials left, BindCoalescer.Attempt attempt) {
    return left.acceptedSince(attempt.server(), System.nanoTime() - ACCEPTED_NANOS);
  }

  /** It has ended, or will not begin; without effect on one that waited for no turn. */
  public void turnEnded(Octets name, BindCoalescer.Attempt attempt) {
    rebinds.ended(name, attempt);
  }

  /** The server of an attempt has not answered it in time: others that wait for it give up. */
  public void silent(Octets name, BindCoalescer.Attempt attempt) {
    rebinds.silent(name, attempt.server());
  }

  /** Runs the task on the loop. Thread-safe. */
  void post(Runnable task) {
    loop.execute(task);
  }

  /** The same after a time. Thread-safe. */
  void later(Runnable task, long nanos) {
    loop.schedule(task, nanos, TimeUnit.NANOSECONDS);
  }

  /**
   * A server has taken the password: for a moment whoever has left the same need not wait to give
   * it to that server.
   */
  public void accepted(Octets name, Credentials tried, BindCoalescer.Attempt attempt) {
    markAccepted(name, tried, attempt.server());
    rebinds.accepted(name, tried, attempt.server(), this);
  }

  /** The same of another loop. Takes ownership of the credentials. Thread-safe. */
  void acceptedElsewhere(Octets name, Credentials tried, Object server) {
    loop.execute(
        () -> {
          markAccepted(name, tried, server);
          tried.release();
        });
  }

  private void markAccepted(Octets name, Credentials tried, Object server) {
    for (ClientSession session : byName.getOrDefault(name, Set.of())) {
      Credentials own = kept(session, name, false);
      if (own != null && own.samePassword(tried)) {
        own.accepted(server, System.nanoTime());
      }
    }
  }

  /**
   * A server that may lack what others have has refused the password. If it may be for one bind, a
   * client that a connection serves stays there, and its password is tried no more. Other passwords
   * are tried only where they are surely known. No client is disconnected.
   */
  public void doubted(Octets name, Credentials tried) {
    rebinds.doubted(name, tried, this);
    doubt(name, tried);
  }

  /** The same of another loop. Takes ownership of the credentials. Thread-safe. */
  void doubtedElsewhere(Octets name, Credentials tried) {
    loop.execute(
        () -> {
          doubt(name, tried);
          tried.release();
        });
  }

  private void doubt(Octets name, Credentials tried) {
    doubts.add(name, System.nanoTime());
    for (ClientSession session : List.copyOf(byName.getOrDefault(name, Set.of()))) {
      Credentials own = kept(session, name, false);
      if (own != null && own.samePassword(tried) && !stays(session, name, own)) {
        own.doubt();
      }
    }
  }

  private void markDoubted(Octets name, Credentials tried) {
    for (ClientSession session : byName.getOrDefault(name, Set.of())) {
      Credentials own = kept(session, name, false);
      if (own != null && own.samePassword(tried)) {
        own.doubt();
      }
    }
  }

  /**
   * Whether it is not to be tried where it may not be known; who has bound since learns of that.
   */
  public boolean doubts(Octets name, Credentials left) {
    if (!left.doubted() && doubts.holds(name, System.nanoTime())) {
      markDoubted(name, left);
    }
    return left.doubted();
  }

  /**
   * Whether what the client has left was doubted, and nobody has said since whether it is right.
   *
   * @param exposed whether others might read it where it could be tried
   */
  public boolean unproven(ClientSession session, Octets name, boolean exposed) {
    Credentials own = since.containsKey(session) ? kept(session, name, exposed) : null;
    return own != null && own.unproven();
  }

  /**
   * A server has refused the password, which is not tried again. If it was for one bind, clients
   * stay on the connections that serve them. Other clients with this password are disconnected, on
   * all loops.
   */
  public void refused(Octets name, Credentials tried) {
    rebinds.refused(name, tried, this);
    giveUp(name, tried);
  }

  /** True if the name lately had a one-time password: then Stoa binds as it with none. */
  public boolean isOneTime(Octets name) {
    return rebinds.isOneTime(name);
  }

  /** The same of another loop. Takes ownership of the credentials. Thread-safe. */
  void refusedElsewhere(Octets name, Credentials tried) {
    loop.execute(
        () -> {
          giveUp(name, tried);
          tried.release();
        });
  }

  private void giveUp(Octets name, Credentials tried) {
    for (ClientSession session : List.copyOf(byName.getOrDefault(name, Set.of()))) {
      Credentials own = kept(session, name, false);
      if (own != null && own.samePassword(tried) && !stays(session, name, own)) {
        session.disconnect(Rejection.REBIND_REFUSED);
      }
    }
  }

  /**
   * True if a refused password may be for one bind, and a connection serves its client. Then the
   * password is zeroed. If the client bound a moment ago, Stoa keeps none of that name for a while.
   */
  private boolean stays(ClientSession session, Octets name, Credentials own) {
    boolean stays = own.mayBeOneTime() && served.test(session);
    if (stays) {
      if (own.isFresh(System.nanoTime())) {
        rebinds.addOneTime(name);
      }
      own.release();
    }
    return stays;
  }
}
