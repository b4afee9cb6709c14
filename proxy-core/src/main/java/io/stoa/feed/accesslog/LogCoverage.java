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
 * Whether an accesslog tells of all that a database counts. A log may be that of several databases,
 * or leave out what it is configured to; so its own count says nothing of any of them. What proves
 * it is that each contextCSN of the database that is read is that of a record that was told.
 * Thread-safe.
 */
final class LogCoverage {
  /** So many records of each server ID are remembered, and questions. */
  private static final int MOST = 1024;

  /** Records are in order; one that is not there for so long after a later one was left out. */
  private static final long PATIENCE_NANOS = 2_000_000_000L;

  /** A write that takes long keeps the contextCSN back; nothing is proved meanwhile. */
  private static final long STILL_NANOS = 60_000_000_000L;

  private final String context;
  private final LongSupplier clock;
  private final Consumer<String> end;
  private final Map<String, TreeSet<String>> told = new HashMap<>();
  private final List<Asked> asked = new ArrayList<>();
  private final Map<String, TreeMap<String, Long>> missing = new HashMap<>();
  private final Map<String, Uncounted> uncounted = new HashMap<>();
  private Position reached = Position.NONE;
  private Position base = Position.NONE;
  private @Nullable String leftOut;

  /**
   * Knows of no record yet.
   *
   * @param context as positions name it
   * @param clock in nanoseconds
   * @param end hears that a record was left out
   */
  LogCoverage(String context, LongSupplier clock, Consumer<String> end) {
    this.context = context;
    this.clock = clock;
    this.end = end;
  }

  /** A position of the database, and of the log, that waits for its records. Immutable. */
  private record Asked(Position position, Position log, Consumer<Position> told) {}

  /**
   * A change that was told, and that the database has not said that it counts. Immutable.
   *
   * @param since when the database was heard not to; null if it was not asked
   */
  private record Uncounted(String mark, @Nullable Long since) {
    boolean isSince(long moment) {
      return since != null && since - moment <= 0;
    }
  }

  /** What came before all that is to be told: the log is known to have told the last of it. */
  synchronized void begin(Position position) {
    base = position;
    position.marks().forEach(this::tell);
    uncounted.clear();
  }

  /** The change of which a record has told. */
  void told(Csn csn) {
    List<Asked> proved;
    synchronized (this) {
      csn.in(context).marks().forEach(this::tell);
      proved = proved();
    }
    proved.forEach(one -> one.told().accept(one.position()));
  }

  private void tell(String origin, String mark) {
    TreeSet<String> all = told.computeIfAbsent(origin, none -> new TreeSet<>());
    all.add(mark);
    if (all.size() > MOST) {
      all.pollFirst();
    }
    missing.getOrDefault(origin, new TreeMap<>()).remove(mark);
    uncounted.putIfAbsent(origin, new Uncounted(mark, null));
  }

  /** The log has said all up to there. */
  void said(Position log) {
    List<Asked> proved;
    synchronized (this) {
      reached = reached.merge(log);
      proved = proved();
    }
    proved.forEach(one -> one.told().accept(one.position()));
  }

  /**
   * The database has counted its changes up to there.
   *
   * @param log how far the log had got no sooner
   * @param told hears the position when all that it covers is told
   */
  void counted(Position position, Position log, Consumer<Position> told) {
    List<Asked> proved;
    synchronized (this) {
      position.marks().forEach(this::count);
      if (asked.size() >= MOST) {
        asked.remove(0);
      }
      asked.add(new Asked(position, log, told));
      proved = proved();
    }
    proved.forEach(one -> one.told().accept(one.position()));
  }

  /**
   * A database whose contextCSN nobody keeps any more stands still, whatever is told of it; so does
   * one that works on a long write, until that has ended.
   */
  private void count(String origin, String mark) {
    Uncounted first = uncounted.get(origin);
    long now = clock.getAsLong();
    if (first == null || first.mark().compareTo(mark) <= 0) {
      uncounted.remove(origin);
    } else if (first.since() == null) {
      uncounted.put(origin, new Uncounted(first.mark(), now));
    } else if (now - first.since() >= STILL_NANOS) {
      leaveOut("the contextCSN stands still while its accesslog tells of changes");
    }
  }

  private void leaveOut(String why) {
    if (leftOut == null) {
      leftOut = why;
      end.accept(why);
    }
  }

  /** What was asked is not answered by what comes after a cut. */
  synchronized void interrupted() {
    asked.clear();
    missing.clear();
    uncounted.clear();
  }

  /** Up to where all is told that the database has counted, as far as the log has said so. */
  synchronized Position upTo(Position log) {
    Position all = base;
    for (Map.Entry<String, TreeSet<String>> origin : told.entrySet()) {
      String last = origin.getValue().last();
      if (log.reaches(origin.getKey(), last)) {
        all = all.merge(Position.of(Map.of(origin.getKey(), last)));
      }
    }
    return all;
  }

  /** Why the log is not to be believed any more; null if it is. */
  synchronized @Nullable String leftOut() {
    return leftOut;
  }

  private List<Asked> proved() {
    List<Asked> proved = new ArrayList<>();
    asked.removeIf(one -> isForgotten(one.position()));
    for (Asked one : asked) {
      if (isTold(one.position()) && reached.covers(one.log())) {
        proved.add(one);
      }
    }
    if (!isComplete()) {
      proved.clear();
    }
    asked.removeAll(proved);
    return proved;
  }

  /** What was told before the first that is remembered may have been told: nobody knows. */
  private boolean isForgotten(Position position) {
    return position.marks().entrySet().stream()
        .anyMatch(
            mark -> {
              TreeSet<String> known = told.get(mark.getKey());
              return known != null && known.first().compareTo(mark.getValue()) > 0;
            });
  }

  private boolean isTold(Position position) {
    boolean all = true;
    for (Map.Entry<String, String> mark : position.marks().entrySet()) {
      TreeSet<String> known = told.get(mark.getKey());
      boolean here = known != null && known.contains(mark.getValue());
      if (!here && known != null && known.last().compareTo(mark.getValue()) > 0) {
        missing
            .computeIfAbsent(mark.getKey(), none -> new TreeMap<>())
            .putIfAbsent(mark.getValue(), clock.getAsLong());
      }
      all &= here;
    }
    return all;
  }

  /** Whether none is missing that came before others; says so if one is for long. */
  private boolean isComplete() {
    long now = clock.getAsLong();
    for (TreeMap<String, Long> marks : missing.values()) {
      for (Map.Entry<String, Long> mark : marks.entrySet()) {
        if (now - mark.getValue() >= PATIENCE_NANOS) {
          leaveOut("its accesslog has left out the change " + mark.getKey());
        }
      }
    }
    return missing.values().stream().allMatch(TreeMap::isEmpty)
        && uncounted.values().stream().noneMatch(one -> one.isSince(now - PATIENCE_NANOS));
  }
}
