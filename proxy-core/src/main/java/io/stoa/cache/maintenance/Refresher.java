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
  private static final int MAX_AT_ONCE = 16;
  private static final int MAX_TRIES = 5;
  private static final long FIRST_PAUSE_MILLIS = 20;

  private final List<MaintenanceLoop> loops;
  private final BooleanSupplier enabled;
  private final Budget budget;
  private final LongAdder refilled = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder withoutClient = new LongAdder();

  /**
   * Creates a refresher.
   *
   * @param enabled true if refresh-ahead is on
   * @param perSecond maximum number of searches per second
   * @param clock time in ns, as {@link System#nanoTime}
   */
  Refresher(
      List<MaintenanceLoop> loops,
      BooleanSupplier enabled,
      IntSupplier perSecond,
      LongSupplier clock) {
    this.loops = loops;
    this.enabled = enabled;
    this.budget = new Budget(MAX_AT_ONCE, perSecond, clock);
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
  public void onHotInvalidated(CachedResultRef result) {
    BudgetUnit unit = enabled.getAsBoolean() ? takeUnit() : null;
    if (unit != null) {
      tryAt(0, result, unit);
    }
  }

  private @Nullable BudgetUnit takeUnit() {
    BudgetUnit unit = budget.takeUnit();
    if (unit == null) {
      dropped.increment();
    }
    return unit;
  }

  /** Tries the event loops in turn: a client may be on any of them. */
  private void tryAt(int index, CachedResultRef result, BudgetUnit unit) {
    if (index == loops.size()) {
      withoutClient.increment();
      unit.giveBack();
      return;
    }
    MaintenanceLoop maintenanceLoop = loops.get(index);
    post(
        maintenanceLoop.loop(),
        unit,
        () -> {
          ClientSession client = maintenanceLoop.client(result);
          if (client == null) {
            tryAt(index + 1, result, unit);
          } else {
            new Refill(maintenanceLoop, client, client.identity().name(), result.request())
                .begin(unit);
          }
        });
  }

  private static void post(EventExecutor loop, BudgetUnit unit, Runnable task) {
    try {
      loop.execute(() -> safely(unit, task));
    } catch (RejectedExecutionException e) {
      unit.release(); // the proxy is shutting down
    }
  }

  /** Runs a task. An unexpected error releases its unit of the budget. */
  private static void safely(BudgetUnit unit, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      unit.release();
      LOG.error(
          "internal error while refreshing a popular result; it will be read when a "
              + "client asks",
          e);
    }
  }

  @Override
  public void onHotExpiring(ClientSession session, Octets request) {
    if (!enabled.getAsBoolean() || !MaintenanceLoop.isUsable(session)) {
      return;
    }
    Octets identity = session.identity().name();
    for (MaintenanceLoop maintenanceLoop : loops) {
      BudgetUnit unit = maintenanceLoop.loop() == session.executor() ? takeUnit() : null;
      if (unit != null) {
        Refill refill = new Refill(maintenanceLoop, session, identity, request);
        post(maintenanceLoop.loop(), unit, () -> refill.begin(unit));
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
    private @Nullable BudgetUnit unit;

    Refill(MaintenanceLoop maintenanceLoop, ClientSession client, Octets identity, Octets request) {
      this.maintenanceLoop = maintenanceLoop;
      this.client = client;
      this.identity = identity;
      this.request = request;
    }

    void begin(BudgetUnit budgetUnit) {
      unit = budgetUnit;
      boolean same = client.identity().name().equals(identity);
      if (!same || !MaintenanceLoop.isUsable(client)) {
        budgetUnit.giveBack(); // another identity used the result
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
      BudgetUnit currentUnit = unit;
      if (needless || currentUnit == null) {
        giveBack(currentUnit);
        return;
      }
      currentUnit.release();
      if (answer != null && tries < MAX_TRIES) {
        long pause = FIRST_PAUSE_MILLIS << tries;
        maintenanceLoop.loop().schedule(this::retry, pause, TimeUnit.MILLISECONDS);
      }
    }

    /** Tries again; ends at once if the last answer was stored. */
    private void retry() {
      BudgetUnit next = budget.takeUnit();
      if (next != null) {
        safely(next, () -> begin(next));
      }
    }

    private static void giveBack(@Nullable BudgetUnit unit) {
      if (unit != null) {
        unit.giveBack();
      }
    }
  }
}
