// SPDX-License-Identifier: Apache-2.0
package io.stoa.changelog;

import io.stoa.change.Gap;
import io.stoa.change.Position;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How far one changelog has been read, and what is new in it: no connection and no thread of its
 * own. Confined to the thread of the feed.
 *
 * <p>The last record that was read is read again with those after it. As long as it is there, and
 * the same, nothing before them has been taken away, and the numbers are those of before. How far
 * the server says that it has counted means nothing: it counts what it will not do in the end, and
 * uses that number again.
 */
final class RetroSession {
  /** A number of which there is no record by then was given up. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int DIGITS = 19;

  private final String origin;
  private long number;
  private String id;
  private boolean steady;
  private boolean waiting;
  private long waitingSince;

  /**
   * Begins after a record.
   *
   * @param origin what positions call this changelog
   */
  RetroSession(String origin, RetroRecord last) {
    this.origin = origin;
    this.number = last.number();
    this.id = last.id();
  }

  /**
   * What a look at the changelog has brought. Immutable.
   *
   * @param news in their order
   * @param gap why nothing is known any more; null if that is not so
   */
  record Taken(List<RetroRecord> news, @Nullable Gap gap) {}

  /** The record from which on all are to be read. */
  long from() {
    return number;
  }

  /** How far it has been read. */
  Position position() {
    return position(number);
  }

  Position position(long of) {
    String digits = Long.toString(of);
    return Position.of(Map.of(origin, "0".repeat(DIGITS - digits.length()) + digits));
  }

  /** Whether a number is awaited that was given to a change which has not been seen. */
  boolean isWaiting() {
    return waiting;
  }

  /** Where it stands. */
  Mark mark() {
    return new Mark(number, id);
  }

  /** What has been taken since then has not been told. */
  void back(Mark to) {
    number = to.number();
    id = to.id();
  }

  /** Up to where a changelog has been read. Immutable. */
  record Mark(long number, String id) {}

  /** The connection has ended: on the next one the last record must be there. */
  void interrupted() {
    steady = false;
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
    Gap gap = gap(sorted, counted);
    if (gap != null) {
      return new Taken(List.of(), gap);
    }
    steady = true;
    List<RetroRecord> news = new ArrayList<>();
    for (RetroRecord one : sorted) {
      if (one.number() > number + 1 && !isGivenUp(now)) {
        break;
      }
      if (one.number() > number) {
        next(one, news);
      }
    }
    return new Taken(news, null);
  }

  private @Nullable Gap gap(List<RetroRecord> sorted, long counted) {
    RetroRecord first = sorted.isEmpty() ? null : sorted.get(0);
    if (first != null && first.number() == number) {
      return first.id().equals(id) ? null : Gap.NEW_HISTORY;
    }
    if (counted < number) {
      return Gap.NEW_HISTORY;
    }
    boolean trimmed = first == null ? counted == number : first.number() == number + 1;
    return steady && trimmed ? null : Gap.HISTORY_LOST;
  }

  private void next(RetroRecord one, List<RetroRecord> news) {
    while (number + 1 < one.number()) {
      number++;
      news.add(RetroRecord.missing(number));
    }
    number = one.number();
    id = one.id();
    waiting = false;
    news.add(one);
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
