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
 * Tracks how far one changelog has been read, and which records are new. Has no connection or
 * thread of its own.
 *
 * <ol>
 *   <li>The last record that was read is read again with the next ones. While it exists unchanged,
 *       no later record was removed, and the numbers still have their meaning.
 *   <li>A server that trims its changelog keeps the last record. A server that is restored while it
 *       runs continues with its old numbers.
 *   <li>The lastChangeNumber of the server proves nothing. The server counts changes that it gives
 *       up later, and uses their numbers again.
 * </ol>
 *
 * <p>Threading: thread of the feed.
 */
final class RetroSession {
  /** Time in ns after which a missing number is passed over: 5 s. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * Time in ns for which a passed-over number is still looked for: 10 min. No write takes longer.
   */
  static final long LATE_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Maximum number of missing numbers: 200. A server that leaves out more counts differently. */
  static final int MAX_MISSING = 200;

  private static final int DIGITS = 19;

  private final String origin;

  /** The times when numbers were passed over. */
  private final SortedMap<Long, Long> passedOver = new TreeMap<>();

  private long number;
  private String id;
  private boolean waiting;
  private long waitingSince;

  /**
   * Begins after a record.
   *
   * @param origin the name of this changelog in positions
   * @param unseen numbers before that record whose records may still appear
   */
  RetroSession(String origin, RetroRecord last, Collection<Long> unseen, long now) {
    this.origin = origin;
    this.number = last.number();
    this.id = last.id();
    unseen.forEach(one -> passedOver.put(one, now));
  }

  /**
   * The result of one poll.
   *
   * <p>Threading: immutable.
   *
   * @param news the new records in order; {@link #onReported} must be called for each
   * @param gap the reason why history is lost; null if it is not
   */
  record PollResult(List<RetroRecord> news, @Nullable FeedGap gap) {
    static PollResult lost(FeedGap why) {
      return new PollResult(List.of(), why);
    }
  }

  /** Returns the number from which records are to be read. */
  long from() {
    return number;
  }

  /** Returns the passed-over numbers that may still appear. Each poll must look for them. */
  SortedSet<Long> passedOver(long now) {
    passedOver.values().removeIf(since -> now - since >= LATE_NANOS);
    return new TreeSet<>(passedOver.keySet());
  }

  /** Returns the position of the last record read. */
  Position position() {
    return position(number);
  }

  /** Returns the position of a record. A late record has the position of the last one. */
  Position position(RetroRecord of) {
    return position(Math.max(number, of.number()));
  }

  private Position position(long of) {
    String digits = Long.toString(of);
    return Position.of(Map.of(origin, "0".repeat(DIGITS - digits.length()) + digits));
  }

  /** True if a missing number is awaited. */
  boolean isWaiting() {
    return waiting;
  }

  /** Called when the connection has ended. */
  void onDisconnect() {
    waiting = false;
  }

  /**
   * Takes the records from number {@link #from} on.
   *
   * @param lastNumber the server's lastChangeNumber; used only if the last record is not among the
   *     records
   */
  PollResult take(List<RetroRecord> records, long lastNumber, long now) {
    List<RetroRecord> sorted = new ArrayList<>(records);
    sorted.sort(Comparator.comparingLong(RetroRecord::number));
    FeedGap gap = gap(sorted, lastNumber);
    if (gap != null || passedOver.size() > MAX_MISSING) {
      return PollResult.lost(gap == null ? FeedGap.HISTORY_LOST : gap);
    }
    List<RetroRecord> newRecords = new ArrayList<>();
    long last = number;
    for (RetroRecord one : sorted.subList(1, sorted.size())) {
      if (one.number() - last > MAX_MISSING) {
        return PollResult.lost(FeedGap.HISTORY_LOST);
      }
      List<RetroRecord> missing = missing(last, one.number());
      if (!missing.isEmpty() && !isGivenUp(now)) {
        break;
      }
      newRecords.addAll(missing);
      newRecords.add(one);
      last = one.number();
      waiting = false;
    }
    return new PollResult(newRecords, null);
  }

  private @Nullable FeedGap gap(List<RetroRecord> sorted, long lastNumber) {
    RetroRecord first = sorted.isEmpty() ? null : sorted.get(0);
    if (first != null && first.number() == number) {
      return first.id().equals(id) ? null : FeedGap.NEW_HISTORY;
    }
    return lastNumber < number ? FeedGap.NEW_HISTORY : FeedGap.HISTORY_LOST;
  }

  private List<RetroRecord> missing(long after, long before) {
    List<RetroRecord> missing = new ArrayList<>();
    for (long one = after + 1; one < before; one++) {
      if (!passedOver.containsKey(one)) {
        missing.add(RetroRecord.missing(one));
      }
    }
    return missing;
  }

  /** Called when a record was reported. A placeholder's number is still looked for. */
  void onReported(RetroRecord record, long now) {
    if (record.isMissing()) {
      passedOver.put(record.number(), now);
    } else if (record.number() > number) {
      number = record.number();
      id = record.id();
    } else {
      passedOver.remove(record.number());
    }
  }

  /**
   * True if a missing number has been awaited for long enough. A change may be written after one
   * with a later number.
   */
  private boolean isGivenUp(long now) {
    if (!waiting) {
      waiting = true;
      waitingSince = now;
    }
    return now - waitingSince >= PATIENCE_NANOS;
  }
}
