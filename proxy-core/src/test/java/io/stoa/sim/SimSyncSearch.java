// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.feed.syncrepl.Cookie;
import io.stoa.feed.syncrepl.SyncEvents;
import io.stoa.feed.syncrepl.SyncEvents.SyncInfo;
import io.stoa.feed.syncrepl.SyncEvents.SyncState;
import io.stoa.ldap.protocol.Uuid;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A sync search on a connection: what it says arrives in order, each after a time. Thread-confined.
 */
final class SimSyncSearch {
  private static final long MAX_WAY = 2 * Faults.MILLIS;

  private final VirtualTime time;
  private final Faults faults;
  private final SplittableRandom random;
  private final Executor loop;
  private final SyncEvents events;
  private long last;
  private boolean over;
  private boolean cut;

  /**
   * Makes it.
   *
   * @param loop where it is heard
   */
  SimSyncSearch(
      VirtualTime time, Faults faults, SplittableRandom random, Executor loop, SyncEvents events) {
    this.time = time;
    this.faults = faults;
    this.random = random;
    this.loop = loop;
    this.events = events;
  }

  /** Whether it is heard there. */
  boolean reportsTo(SyncEvents other) {
    return events == other;
  }

  /** Whether nothing more is said on it. */
  boolean isOver() {
    return over;
  }

  void entry(SyncState state, String uuid, byte[] op, @Nullable Cookie cookie) {
    send(() -> events.onEntry(state, uuid(uuid), op, cookie));
  }

  void uuids(boolean deletes, List<String> uuids, @Nullable Cookie cookie) {
    List<Uuid> all = uuids.stream().map(SimSyncSearch::uuid).toList();
    send(() -> events.onInfo(SyncInfo.SYNC_ID_SET, cookie, false, deletes, all));
  }

  void cookie(Cookie cookie) {
    send(() -> events.onInfo(SyncInfo.NEW_COOKIE, cookie, false, false, List.of()));
  }

  /** The refresh is over. */
  void refreshed(SyncInfo how, Cookie cookie) {
    send(() -> events.onInfo(how, cookie, true, false, List.of()));
  }

  /** What has changed since the cookie is told once more. */
  void again(boolean deletes) {
    send(() -> events.onSecondRefresh(0, deletes, ""));
  }

  /** The server ends it. */
  void end(int code, String diagnostic) {
    send(() -> events.onDone(code, null, false, diagnostic));
    over = true;
  }

  /** The connection ends, and what was on its way does not arrive. */
  void cut() {
    if (!over) {
      over = true;
      cut = true;
      loop.execute(() -> events.onLost("the connection has ended"));
    }
  }

  private void send(Runnable event) {
    long arrival = time.now() + random.nextLong(MAX_WAY);
    if (faults.now(Fault.FEED_DELAYED, time.now())) {
      arrival += random.nextLong(Faults.MAX_LAG);
    }
    last = Math.max(last + 1, faults.now(Fault.FEED_SILENT, arrival) ? faults.until() : arrival);
    time.at(last, () -> loop.execute(() -> arrive(event)));
  }

  private void arrive(Runnable event) {
    if (!cut) {
      event.run();
    }
  }

  private static Uuid uuid(String text) {
    Uuid uuid = Uuid.parse(text.getBytes(StandardCharsets.US_ASCII));
    if (uuid == null) {
      throw new AssertionError(text + " is no UUID");
    }
    return uuid;
  }
}
