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
 * Coordinates rebinds with clients' passwords over all event loops. Directories lock an account
 * after a few failed attempts.
 *
 * <ol>
 *   <li>For each name one password is tried at a time, and a rejected one is not tried again.
 *   <li>A password that a server has just accepted is used there without waiting.
 *   <li>A server that does not respond delays attempts at other servers by 250 ms only. At worst
 *       each server gets one attempt.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class BindCoalescer {
  /** Time for which an attempt at one server delays attempts at others: 250 ms. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Maximum number of names remembered as users of one-time passwords: 10,000, for one day. */
  private static final int MAX_ONE_TIME = 10_000;

  private static final Duration ONE_TIME = Duration.ofDays(1);

  private final RecentNames oneTime = new RecentNames(MAX_ONE_TIME, ONE_TIME);
  private final Map<Octets, Turns> byName = new HashMap<>();
  private final Collection<BoundClients> loops = new CopyOnWriteArrayList<>();

  /**
   * A bind with a client's stored credentials.
   *
   * <p>Threading: event loop, except {@link #server}.
   */
  public interface Attempt {
    /** Returns the server of the bind; the same object for the same server. */
    Object server();

    /** Returns the credentials to try now; null if there are none. */
    @Nullable Credentials credentials();

    /** Called on its turn, to send the bind. */
    void begin();

    /** Called to cancel the attempt, since the server does not respond. */
    void cancel();
  }

  /**
   * An attempt with the loop it belongs to.
   *
   * <p>Threading: immutable.
   */
  private record Turn(BoundClients clients, Attempt attempt) {}

  /** The attempts of one name. Guarded by the lock of the coalescer. */
  private static final class Turns {
    final Map<Attempt, Long> begun = new HashMap<>(2);
    final List<Turn> waiting = new ArrayList<>(1);

    /** Starts the attempt if no other one blocks it. Returns true if it has started. */
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

    /** Starts the waiting attempts that nothing blocks any more, and returns them. */
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

  /** Registers the clients of an event loop. */
  void join(BoundClients clients) {
    loops.add(clients);
  }

  /** Starts the attempt on its turn, at once if no other one blocks it. */
  void await(Octets name, BoundClients clients, Attempt attempt) {
    if (enter(name, new Turn(clients, attempt))) {
      begin(name, clients, attempt);
    }
  }

  private void begin(Octets name, BoundClients clients, Attempt attempt) {
    clients.schedule(() -> beginNext(name), PATIENCE_NANOS);
    attempt.begin();
  }

  private synchronized boolean enter(Octets name, Turn turn) {
    Turns turns = byName.computeIfAbsent(name, none -> new Turns());
    return turns.begin(turn, System.nanoTime()) || !turns.waiting.add(turn);
  }

  /** Called when an attempt has ended or is cancelled, after its result was reported. */
  void onEnded(Octets name, Attempt attempt) {
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

  /** Called when a password was rejected right after it had been accepted. */
  void addOneTime(Octets name) {
    oneTime.add(name, System.nanoTime());
  }

  /** True if the name recently had a one-time password. Stoa then rebinds it with no password. */
  public boolean isOneTime(Octets name) {
    return oneTime.holds(name, System.nanoTime());
  }

  /**
   * Notifies the other loops of a rejected password, before the next attempt of the name starts.
   */
  void onRejected(Octets name, Credentials tried, BoundClients source) {
    for (BoundClients clients : loops) {
      if (clients != source) {
        clients.onRejectedElsewhere(name, tried.copy());
      }
    }
  }

  /**
   * Notifies the other loops that a replica, which may not know a new password yet, has rejected
   * it.
   */
  void onDoubted(Octets name, Credentials tried, BoundClients source) {
    for (BoundClients clients : loops) {
      if (clients != source) {
        clients.onDoubtedElsewhere(name, tried.copy());
      }
    }
  }

  /**
   * Notifies the other loops of an accepted password. Waiting attempts then check whether it is
   * theirs.
   */
  void onAccepted(Octets name, Credentials tried, Object server, BoundClients source) {
    for (BoundClients clients : loops) {
      if (clients != source) {
        clients.onAcceptedElsewhere(name, tried.copy(), server);
      }
    }
    for (Turn turn : removeWaiting(name, anyOne -> true)) {
      turn.clients.post(() -> turn.clients.awaitTurn(name, turn.attempt));
    }
  }

  /** Called when a server did not respond in time. Attempts that wait for it are cancelled. */
  void onTimeout(Octets name, Object server) {
    for (Turn turn : removeWaiting(name, attempt -> attempt.server() == server)) {
      turn.clients.post(turn.attempt::cancel);
    }
  }

  private synchronized List<Turn> removeWaiting(Octets name, Predicate<Attempt> matching) {
    Turns turns = byName.get(name);
    if (turns == null) {
      return List.of();
    }
    List<Turn> leaving =
        turns.waiting.stream().filter(turn -> matching.test(turn.attempt)).toList();
    turns.waiting.removeAll(leaving);
    return leaving;
  }
}
