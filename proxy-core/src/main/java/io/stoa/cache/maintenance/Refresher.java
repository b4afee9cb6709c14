// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.cache.maintenance.Budget.BudgetUnit;
import io.stoa.cache.result.Caches.CachedResultRef;
import io.stoa.cache.result.Caches.RefreshListener;
import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
import io.stoa.operation.MalformedRequestException;
import io.stoa.operation.Operation;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refresh-ahead: reads popular results again before a client asks. A result is read at once when a
 * change has invalidated it, and shortly before it expires.
 *
 * <p>A server may report a change shortly before its reads show it. An answer that was read too
 * early is not stored, and is requested again.
 *
 * <p>Threading: thread-safe.
 */
final class Refresher implements RefreshListener {
  private static final Logger LOG = LoggerFactory.getLogger(Refresher.class);
  private static final int MOST_AT_ONCE = 16;
  private static final int MOST_TRIES = 5;
  private static final long FIRST_PAUSE_MILLIS = 20;

  private final List<MaintenanceLoop> places;
  private final BooleanSupplier wanted;
  private final Budget budget;
  private final LongAdder refilled = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder withoutClient = new LongAdder();

  /**
   * Creates a refresher.
   *
   * @param wanted true if refresh-ahead is on
   * @param perSecond maximum number of searches per second
   * @param clock time in ns, as {@link System#nanoTime}
   */
  Refresher(
      List<MaintenanceLoop> places,
      BooleanSupplier wanted,
      IntSupplier perSecond,
      LongSupplier clock) {
    this.places = places;
    this.wanted = wanted;
    this.budget = new Budget(MOST_AT_ONCE, perSecond, clock);
  }

  /** Returns the number of searches sent. */
  long refilled() {
    return refilled.sum();
  }

  /** Returns the number of searches not sent because of the rate limit. */
  long dropped() {
    return dropped.sum();
  }

  /** Returns the number of refreshes for which no client of the identity was connected. */
  long withoutClient() {
    return withoutClient.sum();
  }

  @Override
  public void onHotInvalidated(CachedResultRef hot) {
    BudgetUnit taken = wanted.getAsBoolean() ? taken() : null;
    if (taken != null) {
      tryAt(0, hot, taken);
    }
  }

  private @Nullable BudgetUnit taken() {
    BudgetUnit taken = budget.takeUnit();
    if (taken == null) {
      dropped.increment();
    }
    return taken;
  }

  /** Tries the event loops in turn: a client may be on any of them. */
  private void tryAt(int index, CachedResultRef hot, BudgetUnit taken) {
    if (index == places.size()) {
      withoutClient.increment();
      taken.giveBack();
      return;
    }
    MaintenanceLoop maintenanceLoop = places.get(index);
    post(
        maintenanceLoop.loop(),
        taken,
        () -> {
          ClientSession client = maintenanceLoop.client(hot);
          if (client == null) {
            tryAt(index + 1, hot, taken);
          } else {
            new Refill(maintenanceLoop, client, client.identity().name(), hot.request())
                .begin(taken);
          }
        });
  }

  private static void post(EventExecutor loop, BudgetUnit taken, Runnable task) {
    try {
      loop.execute(() -> safely(taken, task));
    } catch (RejectedExecutionException e) {
      taken.done(); // the proxy is shutting down
    }
  }

  /** Runs a task. An unexpected error releases its unit of the budget. */
  private static void safely(BudgetUnit taken, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      taken.done();
      LOG.error(
          "internal error while refreshing a popular result; it will be read when a "
              + "client asks",
          e);
    }
  }

  @Override
  public void onHotExpiring(ClientSession session, Octets request) {
    if (!wanted.getAsBoolean() || !MaintenanceLoop.isUsable(session)) {
      return;
    }
    Octets identity = session.identity().name();
    for (MaintenanceLoop maintenanceLoop : places) {
      BudgetUnit taken = maintenanceLoop.loop() == session.executor() ? taken() : null;
      if (taken != null) {
        Refill refill = new Refill(maintenanceLoop, session, identity, request);
        post(maintenanceLoop.loop(), taken, () -> refill.begin(taken));
      }
    }
  }

  /**
   * Refreshes one result until it is stored or no longer needed. Each attempt takes a unit of the
   * budget.
   *
   * <p>Threading: event-loop confined.
   */
  private final class Refill {
    private final MaintenanceLoop maintenanceLoop;
    private final ClientSession client;
    private final Octets identity;
    private final Octets request;
    private int tries;
    private boolean needless;
    private @Nullable BudgetUnit taken;

    Refill(MaintenanceLoop maintenanceLoop, ClientSession client, Octets identity, Octets request) {
      this.maintenanceLoop = maintenanceLoop;
      this.client = client;
      this.identity = identity;
      this.request = request;
    }

    void begin(BudgetUnit now) {
      taken = now;
      boolean same = client.identity().name().equals(identity);
      if (!same || !MaintenanceLoop.isUsable(client)) {
        now.giveBack(); // another identity used the result
        return;
      }
      Operation search = maintenanceLoop.operation(client, request, this::onAnswer);
      if (refill(search)) {
        tries++;
        refilled.increment();
      } else {
        needless = true;
        search.abandon();
      }
    }

    private boolean refill(Operation search) {
      try {
        return maintenanceLoop.stage().refill(search);
      } catch (MalformedRequestException e) {
        return false; // the rules changed since the request was decoded
      }
    }

    private void onAnswer(@Nullable ResponseContents answer) {
      BudgetUnit own = taken;
      if (needless || own == null) {
        giveBack(own);
        return;
      }
      own.done();
      if (answer != null && tries < MOST_TRIES) {
        long pause = FIRST_PAUSE_MILLIS << tries;
        maintenanceLoop.loop().schedule(this::again, pause, TimeUnit.MILLISECONDS);
      }
    }

    /** Tries again; ends at once if the last answer was stored. */
    private void again() {
      BudgetUnit next = budget.takeUnit();
      if (next != null) {
        safely(next, () -> begin(next));
      }
    }

    private static void giveBack(@Nullable BudgetUnit own) {
      if (own != null) {
        own.giveBack();
      }
    }
  }
}
