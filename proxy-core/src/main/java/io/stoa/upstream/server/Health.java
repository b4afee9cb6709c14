// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import io.stoa.net.transport.FailureText;
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

/**
 * State of one server, and the reason for it. Results of health checks, response time-outs and the
 * administrator move it.
 *
 * <p>Threading: thread-safe.
 */
public final class Health {
  private static final Logger LOG = LoggerFactory.getLogger(Health.class);

  private static final long LONG_AGO_NANOS = TimeUnit.DAYS.toNanos(1);

  /** Shortest time between two recorded connection failures: 1 s. */
  private static final long UNREACHED_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Shortest time between two checks of a missed server: 100 ms, plus up to as much at random. */
  private static final long MISSED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ServerAddress address;
  private final Collection<Consumer<BackendState>> listeners = new CopyOnWriteArrayList<>();
  private final Collection<Runnable> checkActions = new CopyOnWriteArrayList<>();
  private final Collection<Runnable> reconnectActions = new CopyOnWriteArrayList<>();
  private final AtomicLong reconnectDueAt = new AtomicLong(System.nanoTime());
  private volatile BackendState state = BackendState.DOWN;

  private volatile boolean ejected;

  /** True if the ejection time is over, and the next health check may bring the server up. */
  private volatile boolean readmitted;

  private final LongAdder ejections = new LongAdder();
  private volatile String reason = "";

  /** Difference between the server's contents and the directory, as text; empty if none. */
  private volatile String difference = "";

  private volatile long checkRequestedAt = System.nanoTime();

  /** Last time the server was up or ejected; a day before the start if it never was. */
  private volatile long lastUpAt = System.nanoTime() - LONG_AGO_NANOS;

  /**
   * Time of the last recorded connection failure while other connections existed; a day before the
   * start if there was none.
   */
  private final AtomicLong connectFailedAt = new AtomicLong(System.nanoTime() - LONG_AGO_NANOS);

  /** State that the server would have if it were not drained. */
  private BackendState underlyingState = BackendState.DOWN;

  /** True if the state has been logged since the start. */
  private volatile boolean everLogged;

  Health(ServerAddress address) {
    this.address = address;
  }

  /** Returns the state. */
  public BackendState state() {
    return state;
  }

  /** True if the server takes operations. */
  public boolean isUp() {
    return state == BackendState.UP;
  }

  /** True if the server may be sent operations when no other is up. */
  public boolean isUsable() {
    BackendState now = state;
    return now == BackendState.UP || now == BackendState.SUSPECT;
  }

  /**
   * True if the server became unusable after {@code time}. A usable server counts if a connection
   * attempt failed after {@code time}.
   */
  boolean wasLostSince(long time) {
    return isUsable() ? connectFailedAt.get() - time > 0 : lastUpAt - time > 0;
  }

  /**
   * True if the first health check has ended, or if the server is drained. Before that its state is
   * unknown.
   */
  public boolean isChecked() {
    return everLogged || isDrained();
  }

  /** True if the administrator has drained the server. */
  public boolean isDrained() {
    return state == BackendState.DRAINED;
  }

  /** True if the server does not respond to requests in flight, but is not known to be down. */
  public boolean isHanging() {
    return underlyingState() == BackendState.SUSPECT && !ejected;
  }

  /** True if no response is expected from the server, drained or not. */
  public boolean isDown() {
    BackendState now = underlyingState();
    return now == BackendState.DOWN || now == BackendState.PROBING;
  }

  /** Returns the state that the server has, or would have if it were not drained. */
  public synchronized BackendState underlyingState() {
    return state == BackendState.DRAINED ? underlyingState : state;
  }

  /**
   * Adds a listener for state changes, called on the thread that causes the change. A drained
   * server also reports when it is found suspect or down.
   */
  public void onState(Consumer<BackendState> listener) {
    listeners.add(listener);
  }

  /** Adds an action that checks the server, run whenever it is in doubt; on any thread. */
  public void onCheckRequested(Runnable probe) {
    checkActions.add(probe);
  }

  /**
   * Requests a health check because a response is overdue. The same silence triggers one check for
   * each {@code pause}, since a search may just be slow.
   *
   * @param since when the silence became too long; a later silence always triggers a check
   * @param pause time in ns until the same silence triggers another check
   */
  public void requestCheck(long since, long now, long pause) {
    if (since - checkRequestedAt > 0 || now - checkRequestedAt >= pause) {
      requestCheck();
    }
  }

  /** Requests a health check, if the server is up, ejected or drained. */
  public void requestCheck() {
    checkRequestedAt = System.nanoTime();
    if (isUp() || ejected || isDrained()) {
      checkActions.forEach(Runnable::run);
    }
  }

  /**
   * Called when a connection cannot be made although others exist. Requests a health check. The
   * failure is recorded at most once a second, so that a server at its connection limit is not lost
   * each time.
   */
  void onConnectFailed() {
    long now = System.nanoTime();
    long previous = connectFailedAt.get();
    if (now - previous > UNREACHED_NANOS) {
      connectFailedAt.compareAndSet(previous, now);
    }
    requestCheck();
  }

  /** Adds an action that checks a server that is down, run when it is missed; on any thread. */
  public void onReconnectRequested(Runnable probe) {
    reconnectActions.add(probe);
  }

  /** Called when a request is rejected, or may be answered stale, because this server is down. */
  public void requestReconnect() {
    if (state == BackendState.DOWN) {
      long now = System.nanoTime();
      long due = reconnectDueAt.get();
      long next = now + MISSED_NANOS + ThreadLocalRandom.current().nextLong(MISSED_NANOS);
      if (now - due >= 0 && reconnectDueAt.compareAndSet(due, next)) {
        reconnectActions.forEach(Runnable::run);
      }
    }
  }

  /** Called when a connection attempt begins. Returns false if the state does not allow it. */
  public boolean beginProbe() {
    return moveTo(BackendState.PROBING, reason);
  }

  /**
   * Called when the server has answered a health check. An ejected server stays so until
   * readmitted.
   */
  public void onCheckPassed() {
    BackendState previous = state;
    boolean usable = !ejected || readmitted;
    if (previous == BackendState.DRAINED) {
      setUnderlying(BackendState.UP);
    } else if (previous != BackendState.UP
        && usable
        && moveTo(BackendState.UP, "health check passed")) {
      everLogged = true;
      LOG.info("upstream {} UP", address);
    }
  }

  /** Called when a health check is late and the server is not known to be down. */
  public void onCheckLate(String newReason) {
    if (notifyUnderlying(BackendState.SUSPECT)
        || moveTo(BackendState.SUSPECT, newReason)
        || endEjection(newReason)) {
      LOG.info("upstream {} SUSPECT: {}", address, newReason);
    }
  }

  /**
   * Notifies the listeners of a drained server's health, for operations still in flight there.
   * Returns true if the server is drained and its health has changed.
   */
  private boolean notifyUnderlying(BackendState next) {
    if (!isDrained()) {
      return false;
    }
    boolean changed = setUnderlying(next);
    listeners.forEach(listener -> listener.accept(next));
    return changed;
  }

  /** Sets the state beneath a drained server. Returns true if it has changed. */
  private synchronized boolean setUnderlying(BackendState next) {
    boolean changed = underlyingState != next;
    underlyingState = next;
    return changed;
  }

  /** Turns an ejection into the state SUSPECT. Returns false if the server is not ejected. */
  private boolean endEjection(String newReason) {
    synchronized (this) {
      if (!ejected) {
        return false;
      }
      ejected = false;
      reason = newReason;
    }
    listeners.forEach(listener -> listener.accept(BackendState.SUSPECT));
    return true;
  }

  /** Ejects a server that responds but is an outlier. Until it is readmitted it stays suspect. */
  void eject(String newReason, Duration time) {
    if (isUp() && moveTo(BackendState.SUSPECT, newReason, true)) {
      ejections.increment();
      LOG.warn("upstream {} EJECTED for {} s: {}", address, time.toSeconds(), newReason);
    }
  }

  /** Ends the ejection time: the server is up once it answers a health check. */
  void readmit() {
    readmitted = true;
    checkActions.forEach(Runnable::run);
  }

  /** True if the server is suspect for its results, and not for its silence. */
  public boolean isEjected() {
    return ejected;
  }

  /** Returns the number of ejections since the start. */
  long ejections() {
    return ejections.sum();
  }

  /** Returns the reason for the state, as text; empty at the start. */
  String reason() {
    String other = difference;
    return other.isEmpty() || reason.equals(other) ? reason : reason + "; " + other;
  }

  /** True if the server's contents differ from those of the other servers. */
  public boolean isDifferent() {
    return !difference.isEmpty();
  }

  /**
   * Sets the result of comparing the server's contents with those of the other servers.
   *
   * @param now the difference, as text; empty if there is none
   */
  public void setDifference(String now) {
    String previous;
    synchronized (this) {
      previous = difference;
      difference = now;
    }
    if (!now.isEmpty() && !now.equals(previous)) {
      LOG.warn(
          "upstream {} does not hold the same directory as the other servers: {}", address, now);
    } else if (now.isEmpty() && !previous.isEmpty()) {
      LOG.info("upstream {} holds the same directory as the other servers again", address);
    }
  }

  /**
   * Called when the server must not be used: not reached, silent, or not as the health check
   * expects.
   */
  public void onDown(Throwable cause) {
    BackendState previous = state;
    boolean worthLogging =
        previous == BackendState.UP || previous == BackendState.SUSPECT || !everLogged;
    String newReason = FailureText.of(cause);
    if (!moveTo(BackendState.DOWN, newReason)) {
      notifyUnderlying(BackendState.DOWN);
    } else if (worthLogging) {
      everLogged = true;
      LOG.warn("upstream {} DOWN: {}", address, newReason);
    }
  }

  /** Drains the server. Returns false if it was drained already. */
  public boolean drain() {
    boolean drained = moveTo(BackendState.DRAINED, "drained by the administrator");
    if (drained) {
      LOG.info("upstream {} DRAINED", address);
    }
    return drained;
  }

  /**
   * Ends draining: the server is used again once it answers. Returns false if it was not drained.
   */
  public boolean resume() {
    boolean drained = leaveDrained();
    if (drained) {
      listeners.forEach(listener -> listener.accept(BackendState.DOWN));
      LOG.info("upstream {} is no longer drained", address);
    }
    return drained;
  }

  /** Leaves the drained state. Health checks of a drained server only change the state beneath. */
  private synchronized boolean leaveDrained() {
    boolean drained = state == BackendState.DRAINED;
    if (drained) {
      become(BackendState.DOWN, "no longer drained, waiting for a health check", false);
    }
    return drained;
  }

  /** Changes the state, if the transition is allowed. Returns false if another thread was first. */
  private boolean moveTo(BackendState next, String newReason) {
    return moveTo(next, newReason, false);
  }

  private boolean moveTo(BackendState next, String newReason, boolean ejects) {
    synchronized (this) {
      if (!state.next().contains(next)) {
        return false;
      }
      become(next, newReason, ejects);
    }
    listeners.forEach(listener -> listener.accept(next));
    return true;
  }

  /** Changes the state. The caller holds the lock. */
  private void become(BackendState next, String newReason, boolean ejects) {
    underlyingState = ejected ? BackendState.UP : state;
    if (state == BackendState.UP || ejected) {
      lastUpAt = System.nanoTime(); // before any reader sees the new state
    }
    state = next;
    reason = newReason;
    ejected = ejects;
    readmitted = false;
  }
}
