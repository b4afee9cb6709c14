// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.Credentials;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Passwords that clients have left with Stoa are tried one after the other for each name, whichever
 * event loop needs them, and one that was refused is not tried again: directories lock an account
 * on which a few attempts have failed. Whoever has one that a server has just taken waits for
 * nobody, and a server that does not answer holds up what is tried at others for a moment only: at
 * worst each server is asked once. Thread-safe.
 */
public final class BindCoalescer {
  /** So long what is tried at one server holds up others. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Names that bind with one-time passwords, and for how long this is known. */
  private static final int MOST_ONE_TIME = 10_000;

  private static final Duration ONE_TIME = Duration.ofDays(1);

  private final RecentNames oneTime = new RecentNames(MOST_ONE_TIME, ONE_TIME);
  private final Map<Octets, Turns> byName = new HashMap<>();
  private final Collection<BoundClients> loops = new CopyOnWriteArrayList<>();

  /** A bind with what a client has left. Event-loop confined, but for {@link #server}. */
  public interface Attempt {
    /** At which server it is to be; the same object for the same server. */
    Object server();

    /** What is to be tried, as things are; null if that is nothing. */
    @Nullable Credentials credentials();

    /** Does it, now that it is its turn. */
    void begin();

    /** Gives it up: the server does not answer. */
    void giveUp();
  }

  /** An attempt of a loop's. Immutable. */
  private record Turn(BoundClients clients, Attempt attempt) {}

  /** Those of one name. Confined to whoever holds the lock. */
  private static final class Turns {
    final Map<Attempt, Long> begun = new HashMap<>(2);
    final List<Turn> waiting = new ArrayList<>(1);

    /** Begins it if nothing is in its way. */
    boolean begin(Turn turn, long now) {
      for (Map.Entry<Attempt, Long> other : begun.entrySet()) {
        boolean elsewhere = other.getKey().server() != turn.attempt.server();
        if (!elsewhere || now - other.getValue() < PATIENCE_NANOS) {
          return false;
        }
      }
      begun.put(turn.attempt, now);
      return true;
    }

    /** Begins those that waited and have nothing in their way any more. */
    List<Turn> beginNext(long now) {
      List<Turn> next = new ArrayList<>(1);
      for (Turn turn : waiting) {
        if (begin(turn, now)) {
          next.add(turn);
        }
      }
      waiting.removeAll(next);
      return next;
    }

    void remove(Attempt attempt) {
      begun.remove(attempt);
      waiting.removeIf(turn -> turn.attempt == attempt);
    }

    boolean isEmpty() {
      return begun.isEmpty() && waiting.isEmpty();
    }
  }

  /** Makes the clients of a loop known. */
  void join(BoundClients clients) {
    loops.add(clients);
  }

  /** Has it begin when it is its turn: at once, if nothing is under way that it must wait for. */
  void await(Octets name, BoundClients clients, Attempt attempt) {
    if (enter(name, new Turn(clients, attempt))) {
      begin(name, clients, attempt);
    }
  }

  private void begin(Octets name, BoundClients clients, Attempt attempt) {
    clients.later(() -> beginNext(name), PATIENCE_NANOS);
    attempt.begin();
  }

  private synchronized boolean enter(Octets name, Turn turn) {
    Turns turns = byName.computeIfAbsent(name, none -> new Turns());
    return turns.begin(turn, System.nanoTime()) || !turns.waiting.add(turn);
  }

  /** It has ended, or is not wanted any more; what is to be known of it has been told. */
  void ended(Octets name, Attempt attempt) {
    synchronized (this) {
      Turns turns = byName.get(name);
      if (turns != null) {
        turns.remove(attempt);
      }
    }
    beginNext(name);
  }

  private void beginNext(Octets name) {
    for (Turn turn : next(name)) {
      turn.clients.post(() -> begin(name, turn.clients, turn.attempt));
    }
  }

  private synchronized List<Turn> next(Octets name) {
    Turns turns = byName.get(name);
    if (turns == null) {
      return List.of();
    }
    List<Turn> next = turns.beginNext(System.nanoTime());
    if (turns.isEmpty()) {
      byName.remove(name);
    }
    return next;
  }

  /** A password of the name was refused right after it was accepted. */
  void addOneTime(Octets name) {
    oneTime.add(name, System.nanoTime());
  }

  /** True if the name lately had a one-time password: then Stoa binds as it with none. */
  public boolean isOneTime(Octets name) {
    return oneTime.holds(name, System.nanoTime());
  }

  /** Has the other loops told before the next bind of the name begins there. */
  void refused(Octets name, Credentials tried, BoundClients by) {
    for (BoundClients clients : loops) {
      if (clients != by) {
        clients.refusedElsewhere(name, tried.copy());
      }
    }
  }

  /** Has the other loops told that it was refused where it may not be known yet. */
  void doubted(Octets name, Credentials tried, BoundClients by) {
    for (BoundClients clients : loops) {
      if (clients != by) {
        clients.doubtedElsewhere(name, tried.copy());
      }
    }
  }

  /**
   * Has them told that it was accepted; then those that wait look whether it is theirs that was
   * taken.
   */
  void accepted(Octets name, Credentials tried, Object server, BoundClients by) {
    for (BoundClients clients : loops) {
      if (clients != by) {
        clients.acceptedElsewhere(name, tried.copy(), server);
      }
    }
    for (Turn turn : leaving(name, anyOne -> true)) {
      turn.clients.post(() -> turn.clients.awaitTurn(name, turn.attempt));
    }
  }

  /** A server has not answered in time: what waits for a turn there need not find that out, too. */
  void silent(Octets name, Object server) {
    for (Turn turn : leaving(name, attempt -> attempt.server() == server)) {
      turn.clients.post(turn.attempt::giveUp);
    }
  }

  private synchronized List<Turn> leaving(Octets name, Predicate<Attempt> which) {
    Turns turns = byName.get(name);
    if (turns == null) {
      return List.of();
    }
    List<Turn> leaving = turns.waiting.stream().filter(turn -> which.test(turn.attempt)).toList();
    turns.waiting.removeAll(leaving);
    return leaving;
  }
}
