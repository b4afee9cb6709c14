// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks that an accesslog reports every change that a database counts.
 *
 * <p>A log may belong to several databases, or be configured to leave changes out. Its own
 * contextCSN therefore proves nothing about a database. The proof is that each contextCSN read from
 * the database is the CSN of a reported record.
 *
 * <p>Threading: thread-safe.
 */
final class LogCoverage {
  /** Maximum number of records remembered for each server ID, and of pending checks: 1,024. */
  private static final int MAX = 1024;

  /**
   * Time in ns after which a missing record counts as left out, once a later one was reported: 2 s.
   * Records are in order.
   */
  private static final long PATIENCE_NANOS = 2_000_000_000L;

  /**
   * Time in ns for which the contextCSN may stand still while records are reported: 60 s. A long
   * write holds the contextCSN back; nothing is proved meanwhile.
   */
  private static final long STILL_NANOS = 60_000_000_000L;

  private final String context;
  private final LongSupplier clock;
  private final Consumer<String> end;
  private final Map<String, TreeSet<String>> reported = new HashMap<>();
  private final List<PendingCheck> pending = new ArrayList<>();
  private final Map<String, TreeMap<String, Long>> missing = new HashMap<>();
  private final Map<String, Uncounted> uncounted = new HashMap<>();
  private Position logPosition = Position.NONE;
  private Position base = Position.NONE;
  private @Nullable String leftOut;

  /**
   * Creates a check that knows no record.
   *
   * @param context the naming context, as named in positions
   * @param clock a monotonic clock, in ns
   * @param end called with the reason when a record was left out
   */
  LogCoverage(String context, LongSupplier clock, Consumer<String> end) {
    this.context = context;
    this.clock = clock;
    this.end = end;
  }

  /**
   * A position of the database, and of the log, that waits for its records.
   *
   * <p>Threading: immutable.
   */
  private record PendingCheck(Position position, Position log, Consumer<Position> listener) {}

  /**
   * A reported change that the database is not known to count.
   *
   * <p>Threading: immutable.
   *
   * @param since the time when the database was read and did not count it; null if it was not read
   */
  private record Uncounted(String mark, @Nullable Long since) {
    boolean isSince(long moment) {
      return since != null && since - moment <= 0;
    }
  }

  /**
   * Begins at a position of the database. The log is known to contain the record of its last
   * change.
   */
  synchronized void begin(Position position) {
    base = position;
    position.marks().forEach(this::remember);
    uncounted.clear();
  }

  /** Called for the change of each reported record. */
  void onRecord(Csn csn) {
    List<PendingCheck> proved;
    synchronized (this) {
      csn.toPosition(context).marks().forEach(this::remember);
      proved = proved();
    }
    proved.forEach(one -> one.listener().accept(one.position()));
  }

  private void remember(String origin, String mark) {
    TreeSet<String> marks = reported.computeIfAbsent(origin, none -> new TreeSet<>());
    marks.add(mark);
    if (marks.size() > MAX) {
      marks.pollFirst();
    }
    missing.getOrDefault(origin, new TreeMap<>()).remove(mark);
    uncounted.putIfAbsent(origin, new Uncounted(mark, null));
  }

  /** Called when the log has reported everything up to a position. */
  void onLogPosition(Position log) {
    List<PendingCheck> proved;
    synchronized (this) {
      logPosition = logPosition.merge(log);
      proved = proved();
    }
    proved.forEach(one -> one.listener().accept(one.position()));
  }

  /**
   * Called when the contextCSN of the database was read.
   *
   * @param log the position of the log, read afterwards
   * @param receiver receives the position when all changes that it covers have been reported
   */
  void onPosition(Position position, Position log, Consumer<Position> receiver) {
    List<PendingCheck> proved;
    synchronized (this) {
      position.marks().forEach(this::checkProgress);
      if (pending.size() >= MAX) {
        pending.remove(0);
      }
      pending.add(new PendingCheck(position, log, receiver));
      proved = proved();
    }
    proved.forEach(one -> one.listener().accept(one.position()));
  }

  /**
   * Checks that the contextCSN advances. The contextCSN stands still during a long write, or for
   * good if the server no longer maintains it.
   */
  private void checkProgress(String origin, String mark) {
    Uncounted first = uncounted.get(origin);
    long now = clock.getAsLong();
    if (first == null || first.mark().compareTo(mark) <= 0) {
      uncounted.remove(origin);
    } else if (first.since() == null) {
      uncounted.put(origin, new Uncounted(first.mark(), now));
    } else if (now - first.since() >= STILL_NANOS) {
      leaveOut("the contextCSN does not advance although the accesslog reports changes");
    }
  }

  private void leaveOut(String why) {
    if (leftOut == null) {
      leftOut = why;
      end.accept(why);
    }
  }

  /** Discards pending checks: records that arrive after a reconnect do not answer them. */
  synchronized void onDisconnect() {
    pending.clear();
    missing.clear();
    uncounted.clear();
  }

  /**
   * Returns the position up to which all changes of the database are reported, given that of the
   * log.
   */
  synchronized Position coveredPosition(Position log) {
    Position all = base;
    for (Map.Entry<String, TreeSet<String>> origin : reported.entrySet()) {
      String last = origin.getValue().last();
      if (log.reaches(origin.getKey(), last)) {
        all = all.merge(Position.of(Map.of(origin.getKey(), last)));
      }
    }
    return all;
  }

  /** Returns the reason why the log is not trusted any more; null if it is. */
  synchronized @Nullable String leftOut() {
    return leftOut;
  }

  private List<PendingCheck> proved() {
    List<PendingCheck> proved = new ArrayList<>();
    pending.removeIf(one -> isForgotten(one.position()));
    for (PendingCheck one : pending) {
      if (isReported(one.position()) && logPosition.covers(one.log())) {
        proved.add(one);
      }
    }
    if (!isComplete()) {
      proved.clear();
    }
    pending.removeAll(proved);
    return proved;
  }

  /** True if the position is older than the remembered records, so that it cannot be checked. */
  private boolean isForgotten(Position position) {
    return position.marks().entrySet().stream()
        .anyMatch(
            mark -> {
              TreeSet<String> marks = reported.get(mark.getKey());
              return marks != null && marks.first().compareTo(mark.getValue()) > 0;
            });
  }

  private boolean isReported(Position position) {
    boolean all = true;
    for (Map.Entry<String, String> mark : position.marks().entrySet()) {
      TreeSet<String> marks = reported.get(mark.getKey());
      boolean isMarkReported = marks != null && marks.contains(mark.getValue());
      if (!isMarkReported && marks != null && marks.last().compareTo(mark.getValue()) > 0) {
        missing
            .computeIfAbsent(mark.getKey(), none -> new TreeMap<>())
            .putIfAbsent(mark.getValue(), clock.getAsLong());
      }
      all &= isMarkReported;
    }
    return all;
  }

  /**
   * True if no record is missing before a reported one. Reports a record that is missing for too
   * long.
   */
  private boolean isComplete() {
    long now = clock.getAsLong();
    for (TreeMap<String, Long> marks : missing.values()) {
      for (Map.Entry<String, Long> mark : marks.entrySet()) {
        if (now - mark.getValue() >= PATIENCE_NANOS) {
          leaveOut("the accesslog lacks the change " + mark.getKey());
        }
      }
    }
    return missing.values().stream().allMatch(TreeMap::isEmpty)
        && uncounted.values().stream().noneMatch(one -> one.isSince(now - PATIENCE_NANOS));
  }
}
