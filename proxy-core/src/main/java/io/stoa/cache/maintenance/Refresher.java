// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.cache.maintenance.Budget.Taken;
import io.stoa.cache.result.Caches.Caretaker;
import io.stoa.cache.result.Caches.Kept;
import io.stoa.ldap.filter.Answers;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
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
 * Asks for what is used a lot before a client does: at once when a change has made it void, and a
 * little before it is too old. Thread-safe.
 *
 * <p>A server may tell of a change a little before reads show it. What was read too early is not
 * stored, and asked for once more.
 */
final class Refresher implements Caretaker {
  private static final Logger LOG = LoggerFactory.getLogger(Refresher.class);
  private static final int MOST_AT_ONCE = 16;
  private static final int MOST_TRIES = 5;
  private static final long FIRST_PAUSE_MILLIS = 20;

  private final List<Place> places;
  private final BooleanSupplier wanted;
  private final Budget budget;
  private final LongAdder refilled = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder alone = new LongAdder();

  /**
   * Makes it.
   *
   * @param wanted whether it is switched on
   * @param perSecond most searches of its own in a second
   * @param clock in the time of {@link System#nanoTime}
   */
  Refresher(List<Place> places, BooleanSupplier wanted, IntSupplier perSecond, LongSupplier clock) {
    this.places = places;
    this.wanted = wanted;
    this.budget = new Budget(MOST_AT_ONCE, perSecond, clock);
  }

  /** How many searches it has sent. */
  long refilled() {
    return refilled.sum();
  }

  /** How often it would have sent more than it may. */
  long dropped() {
    return dropped.sum();
  }

  /** How often nobody was connected as whom it could have asked. */
  long alone() {
    return alone.sum();
  }

  @Override
  public void killed(Kept hot) {
    Taken taken = wanted.getAsBoolean() ? taken() : null;
    if (taken != null) {
      tryAt(0, hot, taken);
    }
  }

  private @Nullable Taken taken() {
    Taken taken = budget.takeOne();
    if (taken == null) {
      dropped.increment();
    }
    return taken;
  }

  /** A client may live on any loop. */
  private void tryAt(int index, Kept hot, Taken taken) {
    if (index == places.size()) {
      alone.increment();
      taken.giveBack();
      return;
    }
    Place place = places.get(index);
    post(
        place.loop(),
        taken,
        () -> {
          ClientSession client = place.client(hot);
          if (client == null) {
            tryAt(index + 1, hot, taken);
          } else {
            new Refill(place, client, client.identity().name(), hot.request()).begin(taken);
          }
        });
  }

  private static void post(EventExecutor loop, Taken taken, Runnable task) {
    try {
      loop.execute(() -> safely(taken, task));
    } catch (RejectedExecutionException e) {
      taken.done(); // the proxy ends
    }
  }

  /** Whatever goes wrong with one keeps nothing else from being asked for. */
  private static void safely(Taken taken, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      taken.done();
      LOG.error("what is used a lot cannot be asked for again", e);
    }
  }

  @Override
  public void aging(ClientSession session, Octets request) {
    if (!wanted.getAsBoolean() || !Place.isFree(session)) {
      return;
    }
    Octets identity = session.identity().name();
    for (Place place : places) {
      Taken taken = place.loop() == session.executor() ? taken() : null;
      if (taken != null) {
        Refill refill = new Refill(place, session, identity, request);
        post(place.loop(), taken, () -> refill.begin(taken));
      }
    }
  }

  /**
   * One result that is asked for until it is there, or nothing speaks for asking. What may be asked
   * is taken from the budget before each try. Event-loop confined.
   */
  private final class Refill {
    private final Place place;
    private final ClientSession client;
    private final Octets identity;
    private final Octets request;
    private int tries;
    private boolean needless;
    private @Nullable Taken taken;

    Refill(Place place, ClientSession client, Octets identity, Octets request) {
      this.place = place;
      this.client = client;
      this.identity = identity;
      this.request = request;
    }

    void begin(Taken now) {
      taken = now;
      boolean same = client.identity().name().equals(identity);
      if (!same || !Place.isFree(client)) {
        now.giveBack(); // it was another who has used that
        return;
      }
      Operation search =
          place.operation(client, request, own -> new ResponseCollector(own, this::answered));
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
        return place.stage().refill(search);
      } catch (LdapProtocolException e) {
        return false; // the rules by which it was understood are others now
      }
    }

    private void answered(@Nullable Answers answer) {
      Taken own = taken;
      if (needless || own == null) {
        giveBack(own);
        return;
      }
      own.done();
      if (answer != null && tries < MOST_TRIES) {
        long pause = FIRST_PAUSE_MILLIS << tries;
        place.loop().schedule(this::again, pause, TimeUnit.MILLISECONDS);
      }
    }

    /** It was stored, or came too early for that. */
    private void again() {
      Taken next = budget.takeOne();
      if (next != null) {
        safely(next, () -> begin(next));
      }
    }

    private static void giveBack(@Nullable Taken own) {
      if (own != null) {
        own.giveBack();
      }
    }
  }
}
