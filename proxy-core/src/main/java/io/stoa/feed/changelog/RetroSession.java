// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import io.stoa.feed.event.FeedGap;
import io.stoa.ldap.csn.Position;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How far one changelog has been read, and what is new in it: no connection and no thread of its
 * own. Confined to the thread of the feed.
 *
 * <p>The last record that was read is read again with those after it. As long as it is there, and
 * the same, nothing before them has been taken away, and the numbers are those of before: a server
 * that trims its changelog leaves the last record, but one that is restored while it runs goes on
 * with the numbers that it had. How far the server says that it has counted means nothing: it
 * counts what it will not do in the end, and uses that number again.
 */
final class RetroSession {
  /** A number of which there is no record by then is passed over. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** It is looked for so long nevertheless: no write takes longer. */
  static final long LATE_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Whoever leaves out more numbers than these counts in another way. */
  static final int MOST_LATE = 200;

  private static final int DIGITS = 19;

  private final String origin;

  /** Numbers that were passed over, and when. */
  private final SortedMap<Long, Long> late = new TreeMap<>();

  private long number;
  private String id;
  private boolean waiting;
  private long waitingSince;

  /**
   * Begins after a record.
   *
   * @param origin what positions call this changelog
   * @param unseen numbers before that record of which there may be records yet
   */
  RetroSession(String origin, RetroRecord last, Collection<Long> unseen, long now) {
    this.origin = origin;
    this.number = last.number();
    this.id = last.id();
    unseen.forEach(one -> late.put(one, now));
  }

  /**
   * What a look at the changelog has brought. Immutable.
   *
   * @param news in their order; each is to be {@link #told}
   * @param gap why nothing is known any more; null if that is not so
   */
  record Taken(List<RetroRecord> news, @Nullable FeedGap gap) {
    static Taken lost(FeedGap why) {
      return new Taken(List.of(), why);
    }
  }

  /** The record from which on all are to be read. */
  long from() {
    return number;
  }

  /** Numbers that were passed over and may come yet: they are to be looked for each time. */
  SortedSet<Long> late(long now) {
    late.values().removeIf(since -> now - since >= LATE_NANOS);
    return new TreeSet<>(late.keySet());
  }

  /** How far it has been read. */
  Position position() {
    return position(number);
  }

  /** Where a record stands; one that comes late stands where the others are by now. */
  Position position(RetroRecord of) {
    return position(Math.max(number, of.number()));
  }

  private Position position(long of) {
    String digits = Long.toString(of);
    return Position.of(Map.of(origin, "0".repeat(DIGITS - digits.length()) + digits));
  }

  /** Whether a number is awaited that was given to a change which has not been seen. */
  boolean isWaiting() {
    return waiting;
  }

  /** The connection has ended. */
  void interrupted() {
    waiting = false;
  }

  /**
   * Takes the records from {@link #from} on, as many as were given.
   *
   * @param counted how far the server says that it has counted, if the last record that was read
   *     before is not among these
   */
  Taken take(List<RetroRecord> records, long counted, long now) {
    List<RetroRecord> sorted = new ArrayList<>(records);
    sorted.sort(Comparator.comparingLong(RetroRecord::number));
    FeedGap gap = gap(sorted, counted);
    if (gap != null || late.size() > MOST_LATE) {
      return Taken.lost(gap == null ? FeedGap.HISTORY_LOST : gap);
    }
    List<RetroRecord> news = new ArrayList<>();
    long last = number;
    for (RetroRecord one : sorted.subList(1, sorted.size())) {
      if (one.number() - last > MOST_LATE) {
        return Taken.lost(FeedGap.HISTORY_LOST);
      }
      List<RetroRecord> missing = missing(last, one.number());
      if (!missing.isEmpty() && !isGivenUp(now)) {
        break;
      }
      news.addAll(missing);
      news.add(one);
      last = one.number();
      waiting = false;
    }
    return new Taken(news, null);
  }

  private @Nullable FeedGap gap(List<RetroRecord> sorted, long counted) {
    RetroRecord first = sorted.isEmpty() ? null : sorted.get(0);
    if (first != null && first.number() == number) {
      return first.id().equals(id) ? null : FeedGap.NEW_HISTORY;
    }
    return counted < number ? FeedGap.NEW_HISTORY : FeedGap.HISTORY_LOST;
  }

  private List<RetroRecord> missing(long after, long before) {
    List<RetroRecord> missing = new ArrayList<>();
    for (long one = after + 1; one < before; one++) {
      if (!late.containsKey(one)) {
        missing.add(RetroRecord.missing(one));
      }
    }
    return missing;
  }

  /** It has been told. What is only missing may come yet, and proves nothing later. */
  void told(RetroRecord record, long now) {
    if (record.isMissing()) {
      late.put(record.number(), now);
    } else if (record.number() > number) {
      number = record.number();
      id = record.id();
    } else {
      late.remove(record.number());
    }
  }

  /** A change may take effect after one with a later number: it is waited for. */
  private boolean isGivenUp(long now) {
    if (!waiting) {
      waiting = true;
      waitingSince = now;
    }
    return now - waitingSince >= PATIENCE_NANOS;
  }
}
