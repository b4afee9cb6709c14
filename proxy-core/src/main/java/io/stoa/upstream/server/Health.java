// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether a server may be sent operations, and why not. Thread-safe. */
public final class Health {
  private static final Logger LOG = LoggerFactory.getLogger(Health.class);

  private static final long LONG_AGO_NANOS = TimeUnit.DAYS.toNanos(1);

  /** One that is missed is asked for no more often than this, and up to twice as rarely. */
  private static final long UNREACHED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long MISSED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ServerAddress address;
  private final Collection<Consumer<BackendState>> listeners = new CopyOnWriteArrayList<>();
  private final Collection<Runnable> doubters = new CopyOnWriteArrayList<>();
  private final Collection<Runnable> searchers = new CopyOnWriteArrayList<>();
  private final AtomicLong missAgain = new AtomicLong(System.nanoTime());
  private volatile BackendState state = BackendState.DOWN;

  private volatile boolean ejected;

  /** Whether the time for which it was ejected is over. */
  private volatile boolean readmitted;

  private final LongAdder ejections = new LongAdder();
  private volatile String reason = "";

  /** The difference of its contents from those of its directory, for people; empty if none. */
  private volatile String difference = "";

  private volatile long doubtedAt = System.nanoTime();

  /** When it was up last, or answered though it was not. Long ago if it never was. */
  private volatile long leftAt = System.nanoTime() - LONG_AGO_NANOS;

  /** When a connection to it could not be made though it had others. Long ago if that never was. */
  private final AtomicLong unreachedAt = new AtomicLong(System.nanoTime() - LONG_AGO_NANOS);

  /** What it would be if it were not drained. */
  private BackendState beneath = BackendState.DOWN;

  /** Whether its state has been logged since the start. */
  private volatile boolean everSeen;

  Health(ServerAddress address) {
    this.address = address;
  }

  /** As it is now. */
  public BackendState state() {
    return state;
  }

  /** Whether it takes operations now. */
  public boolean up() {
    return state == BackendState.UP;
  }

  /** Whether it may be sent operations, if need be. */
  public boolean usable() {
    BackendState now = state;
    return now == BackendState.UP || now == BackendState.SUSPECT;
  }

  /** Whether it ceased to be up after that time, or could not be reached, for the first time. */
  boolean lostSince(long then) {
    return usable() ? unreachedAt.get() - then > 0 : leftAt - then > 0;
  }

  /**
   * True if the first probe has ended, or if the server is drained. Until then nobody knows whether
   * the server is there.
   */
  public boolean judged() {
    return everSeen || drained();
  }

  /** Whether the administrator has taken it out of use. */
  public boolean drained() {
    return state == BackendState.DRAINED;
  }

  /** Whether it leaves unanswered what is under way there, but is not known to be gone. */
  public boolean hangs() {
    return pulse() == BackendState.SUSPECT && !ejected;
  }

  /** Whether nothing more is to be expected of it, be it drained or not. */
  public boolean gone() {
    BackendState now = pulse();
    return now == BackendState.DOWN || now == BackendState.PROBING;
  }

  /** As it is now, or would be if it were not drained. */
  public synchronized BackendState pulse() {
    return state == BackendState.DRAINED ? beneath : state;
  }

  /**
   * Hears every change of state, on the thread that caused it; also that a server that is drained,
   * and stays so, is found to be suspect or down.
   */
  public void onState(Consumer<BackendState> listener) {
    listeners.add(listener);
  }

  /** Asks the server for a sign of life whenever it is in doubt; on any thread. */
  public void onDoubt(Runnable probe) {
    doubters.add(probe);
  }

  /**
   * Something has had no answer for a while. The same silence is not doubted again at once: a
   * search may be slow.
   *
   * @param since when it became too long; a later silence is always news
   * @param pause how long it is not doubted again
   */
  public void doubt(long since, long now, long pause) {
    if (since - doubtedAt > 0 || now - doubtedAt >= pause) {
      doubt();
    }
  }

  /** Is the server there? */
  public void doubt() {
    doubtedAt = System.nanoTime();
    if (up() || ejected || drained()) {
      doubters.forEach(Runnable::run);
    }
  }

  /**
   * A connection to it cannot be made, though it has others: is it there? One that goes on to
   * refuse them, and serves, is not lost each time.
   */
  void unreached() {
    long now = System.nanoTime();
    long before = unreachedAt.get();
    if (now - before > UNREACHED_NANOS) {
      unreachedAt.compareAndSet(before, now);
    }
    doubt();
  }

  /** Looks whether the server is there again, whenever it is missed; on any thread. */
  public void onMissed(Runnable probe) {
    searchers.add(probe);
  }

  /** Something is refused, or may be answered wrongly, since this server is not there. */
  public void missed() {
    if (state == BackendState.DOWN) {
      long now = System.nanoTime();
      long due = missAgain.get();
      long next = now + MISSED_NANOS + ThreadLocalRandom.current().nextLong(MISSED_NANOS);
      if (now - due >= 0 && missAgain.compareAndSet(due, next)) {
        searchers.forEach(Runnable::run);
      }
    }
  }

  /** A probe begins. */
  public boolean probing() {
    return moveTo(BackendState.PROBING, reason);
  }

  /** It answered a probe. */
  public void answered() {
    BackendState before = state;
    boolean may = !ejected || readmitted;
    if (before == BackendState.DRAINED) {
      found(BackendState.UP);
    } else if (before != BackendState.UP && may && moveTo(BackendState.UP, "it answers")) {
      everSeen = true;
      LOG.info("upstream {} is up", address);
    }
  }

  /** It did not answer a probe in time, but is not known to be gone. */
  public void suspect(String why) {
    if (tell(BackendState.SUSPECT) || moveTo(BackendState.SUSPECT, why) || isSilent(why)) {
      LOG.info("upstream {} is suspect: {}", address, why);
    }
  }

  /** Whoever has something under way on a drained server hears what its probe has found. */
  private boolean tell(BackendState next) {
    if (!drained()) {
      return false;
    }
    boolean news = found(next);
    listeners.forEach(listener -> listener.accept(next));
    return news;
  }

  /** A drained server is this, beneath. */
  private synchronized boolean found(BackendState next) {
    boolean news = beneath != next;
    beneath = next;
    return news;
  }

  /** What is suspect for what it answers is so for its silence from now on. */
  private boolean isSilent(String why) {
    synchronized (this) {
      if (!ejected) {
        return false;
      }
      ejected = false;
      reason = why;
    }
    listeners.forEach(listener -> listener.accept(BackendState.SUSPECT));
    return true;
  }

  /** It answers, but differs from others: it is suspect until it is readmitted. */
  void eject(String why, Duration time) {
    if (up() && moveTo(BackendState.SUSPECT, why, true)) {
      ejections.increment();
      LOG.warn("upstream {} is ejected for {} s: {}", address, time.toSeconds(), why);
    }
  }

  /** Its time is over: it is up as soon as it answers a probe. */
  void readmit() {
    readmitted = true;
    doubters.forEach(Runnable::run);
  }

  /** Whether it is suspect for what it answers, and not for its silence. */
  public boolean ejected() {
    return ejected;
  }

  /** How often it was ejected since the start. */
  long ejections() {
    return ejections.sum();
  }

  /** Why it is as it is, for people; empty at the start. */
  String reason() {
    String other = difference;
    return other.isEmpty() || reason.equals(other) ? reason : reason + "; " + other;
  }

  /** True if its contents differ from those of the other servers. */
  public boolean differs() {
    return !difference.isEmpty();
  }

  /**
   * Takes the outcome of a comparison of its contents with those of the other servers.
   *
   * @param now the difference, for people; empty if there is none
   */
  public void setDifference(String now) {
    String before;
    synchronized (this) {
      before = difference;
      difference = now;
    }
    if (!now.isEmpty() && !now.equals(before)) {
      LOG.warn("upstream {} holds another directory: {}", address, now);
    } else if (now.isEmpty() && !before.isEmpty()) {
      LOG.info("upstream {} holds the same directory as the others again", address);
    }
  }

  /** It could not be reached, or did not answer at all. */
  public void unreachable(Throwable cause) {
    BackendState before = state;
    boolean news = before == BackendState.UP || before == BackendState.SUSPECT || !everSeen;
    if (!moveTo(BackendState.DOWN, reason(cause))) {
      tell(BackendState.DOWN);
    } else if (news) {
      everSeen = true;
      LOG.warn("upstream {} is down: {}", address, reason(cause));
    }
  }

  /** The administrator takes it out of use; false if it is so already. */
  public boolean drain() {
    boolean drained = moveTo(BackendState.DRAINED, "it is taken out of use");
    if (drained) {
      LOG.info("upstream {} is drained", address);
    }
    return drained;
  }

  /** The administrator lets it be used again, once it has answered; false if it was not drained. */
  public boolean resume() {
    boolean drained = leaveDrained();
    if (drained) {
      listeners.forEach(listener -> listener.accept(BackendState.DOWN));
      LOG.info("upstream {} is no longer drained", address);
    }
    return drained;
  }

  /** The only way out of it: what is found of a drained server moves what is beneath. */
  private synchronized boolean leaveDrained() {
    boolean drained = state == BackendState.DRAINED;
    if (drained) {
      become(BackendState.DOWN, "it is put into use again", false);
    }
    return drained;
  }

  /** A closed channel says nothing else of itself. */
  private static String reason(Throwable cause) {
    String message = cause.getMessage();
    return message == null ? "the connection was closed" : message;
  }

  /** Moves the state, if that is legal; false if another thread was first. */
  private boolean moveTo(BackendState next, String why) {
    return moveTo(next, why, false);
  }

  private boolean moveTo(BackendState next, String why, boolean ejects) {
    synchronized (this) {
      if (!state.next().contains(next)) {
        return false;
      }
      become(next, why, ejects);
    }
    listeners.forEach(listener -> listener.accept(next));
    return true;
  }

  /** Whoever calls holds the lock. */
  private void become(BackendState next, String why, boolean ejects) {
    beneath = ejected ? BackendState.UP : state;
    if (state == BackendState.UP || ejected) {
      leftAt = System.nanoTime(); // before anybody sees that it has
    }
    state = next;
    reason = why;
    ejected = ejects;
    readmitted = false;
  }
}
