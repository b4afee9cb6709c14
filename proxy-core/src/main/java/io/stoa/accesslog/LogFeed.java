// SPDX-License-Identifier: Apache-2.0
package io.stoa.accesslog;

import io.stoa.accesslog.LogChanges.Look;
import io.stoa.change.Change;
import io.stoa.change.Csn;
import io.stoa.change.FeedSink;
import io.stoa.change.Gap;
import io.stoa.change.Position;
import io.stoa.feed.FeedOffer.Ties;
import io.stoa.filter.Image;
import io.stoa.filter.Uuid;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes changes of a naming context of what a sync search of its accesslog tells: looks at each
 * entry that was written, and tells of it when it has seen it, in the order of the log. Confined to
 * the thread of the feed, to which it brings back what it is told elsewhere.
 */
final class LogFeed implements FeedSink {
  /** Entries that are looked at at once. */
  private static final int MOST_LOOKS = 50;

  /** So often it is waited for the record of what an entry shows already. */
  private static final int TRIES = 8;

  private static final int AGAIN_MILLIS = 4;

  private final Ties ties;
  private final Coverage coverage;
  private final LogChanges changes;
  private final LogReader reader;
  private final Deque<Told> waiting = new ArrayDeque<>();

  /** Entries of which a change was not told, because a later one waits. */
  private final Set<Uuid> owed = new HashSet<>();

  private final List<Csn> counted = new ArrayList<>();
  private @Nullable Witness last;
  private @Nullable Witness anchor;
  private Position passed = Position.NONE;
  private boolean live;
  private boolean cut;
  private boolean busy;
  private int tries;
  private int epoch;

  /**
   * Has heard nothing yet.
   *
   * @param begun a record that is there before the first that is told; null if there is none
   */
  LogFeed(
      Ties ties, Coverage coverage, LogChanges changes, LogReader reader, @Nullable Witness begun) {
    this.ties = ties;
    this.coverage = coverage;
    this.changes = changes;
    this.reader = reader;
    this.last = begun;
    this.anchor = begun;
  }

  /** A record by which is known that none that is later has been taken away. Immutable. */
  record Witness(byte[] dn, Uuid id) {}

  /**
   * Something that was told: a record, or the end of a refresh, or something, or nothing.
   * Immutable.
   *
   * @param unknown whether it is not known what was done
   * @param log up to where the log has said all; null if it has not said so
   */
  private record Told(
      @Nullable LogRecord record,
      boolean unknown,
      @Nullable Position log,
      @Nullable Position live) {
    boolean wantsLook() {
      return record != null && record.wantsLook();
    }
  }

  @Override
  public void change(Change change) {
    Position log = change.receipt().cookie();
    Image image = change.image();
    Uuid id = change.uuid();
    if (change instanceof Change.Deleted) {
      waiting.add(new Told(null, false, log, null)); // taken out of the log
    } else if (image == null || id == null) {
      waiting.add(new Told(null, true, log, null));
    } else {
      last = new Witness(image.entry().dn(), id);
      waiting.add(told(image, log));
    }
    go();
  }

  private Told told(Image image, @Nullable Position log) {
    LogRecord record = changes.record(image);
    if (record == null) {
      return new Told(null, true, log, null);
    }
    return new Told(changes.isWithin(record) ? record : null, false, log, null);
  }

  @Override
  public void covered(Position log) {
    waiting.add(new Told(null, false, log, null));
    go();
  }

  @Override
  public void live(Position log) {
    waiting.add(new Told(null, false, null, log));
    go();
  }

  /** Goes on as far as it can without waiting. */
  private void go() {
    while (!busy && !waiting.isEmpty()) {
      Told next = waiting.getFirst();
      if (next.wantsLook()) {
        look();
      } else if (next.live() != null && cut) {
        verify();
      } else {
        pass(waiting.removeFirst(), null, false);
      }
    }
  }

  private void look() {
    Set<Uuid> wanted = new LinkedHashSet<>();
    for (Told one : waiting) {
      Uuid entry = one.wantsLook() && one.record() != null ? one.record().entry() : null;
      if (one.live() != null || wanted.size() >= MOST_LOOKS) {
        break;
      }
      if (entry != null) {
        wanted.add(entry);
      }
    }
    begin();
    int now = epoch;
    int asked = waiting.size(); // what comes later may be later than what is read
    reader.look(
        wanted, looks -> ties.own().execute(() -> looked(now, new Looked(wanted, looks, asked))));
  }

  private void begin() {
    busy = true;
  }

  /**
   * What was looked at. Immutable.
   *
   * @param asked of what is waiting, as many were told before
   */
  private record Looked(Set<Uuid> wanted, Map<Uuid, Look> looks, int asked) {
    @Nullable Look at(@Nullable LogRecord record) {
      Uuid entry = record == null ? null : record.entry();
      return entry == null ? null : looks.get(entry);
    }
  }

  private void looked(int then, Looked seen) {
    if (then != epoch) {
      return;
    }
    busy = false;
    Map<Uuid, List<LogRecord>> all = records();
    for (int left = seen.asked(); left > 0 && isKnown(waiting.getFirst(), seen.wanted()); left--) {
      LogRecord record = waiting.getFirst().record();
      Look look = seen.at(record);
      boolean later =
          record != null && LogChanges.isOvertaken(record, look, all.get(record.entry()));
      if (record != null && look != null && look.isAhead(record) && !later && tries++ < TRIES) {
        again(new Looked(seen.wanted(), seen.looks(), left));
        return;
      }
      tries = 0;
      pass(waiting.removeFirst(), look, later);
    }
    go();
  }

  private static boolean isKnown(Told next, Set<Uuid> wanted) {
    LogRecord record = next.record();
    boolean looked = record == null || !record.wantsLook() || wanted.contains(record.entry());
    return next.live() == null && looked;
  }

  private Map<Uuid, List<LogRecord>> records() {
    Map<Uuid, List<LogRecord>> all = new HashMap<>();
    for (Told one : waiting) {
      LogRecord record = one.record();
      Uuid entry = record == null ? null : record.entry();
      if (record != null && entry != null) {
        all.computeIfAbsent(entry, none -> new ArrayList<>(1)).add(record);
      }
    }
    return all;
  }

  /** What the entry shows is told in a moment. */
  private void again(Looked seen) {
    begin();
    int now = epoch;
    ties.own().schedule(() -> looked(now, seen), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** It goes on only if the log still has what it told last: whatever came after is there, too. */
  private void verify() {
    begin();
    int now = epoch;
    reader.isThere(anchor, there -> ties.own().execute(() -> verified(now, there)));
  }

  private void verified(int then, boolean there) {
    if (then != epoch) {
      return;
    }
    busy = false;
    cut = false;
    if (!there) {
      ties.to().gap(Gap.HISTORY_LOST);
    }
    go();
  }

  /**
   * Tells it. While something waits that tells what was left out before it, nothing that was told
   * meanwhile counts as told: the position stays where it was.
   *
   * @param later whether what is waiting tells it as well
   */
  private void pass(Told told, @Nullable Look look, boolean later) {
    LogRecord record = told.record();
    Position end = told.live();
    if (record != null) {
      count(record, later);
    }
    Position reached = told.log() == null || !owed.isEmpty() ? null : reached(told.log());
    if (record != null && !later) {
      ties.to().change(changes.of(record, look, reached));
    } else if (told.unknown()) {
      ties.to().change(changes.unknown(reached));
    } else if (end != null) {
      live = true;
      ties.to().live(reached(end));
    } else if (reached != null && !passed.covers(reached)) {
      ties.to().covered(reached);
    }
    passed = reached == null ? passed : passed.merge(reached);
  }

  private void count(LogRecord record, boolean later) {
    Uuid entry = record.entry();
    counted.add(record.csn());
    if (entry != null && later) {
      owed.add(entry);
    } else if (entry != null) {
      owed.remove(entry);
    }
    if (owed.isEmpty()) {
      counted.forEach(coverage::told);
      counted.clear();
    }
  }

  private Position reached(Position log) {
    coverage.said(log);
    return coverage.upTo(log);
  }

  @Override
  public void lost(String why) {
    epoch++;
    busy = false;
    boolean unverified = cut && waiting.stream().anyMatch(one -> one.live() != null);
    waiting.removeIf(one -> cut && one.live() != null);
    while (!waiting.isEmpty()) {
      pass(waiting.removeFirst(), null, false);
    }
    anchor = live ? last : anchor;
    live = false;
    cut = true;
    coverage.interrupted();
    if (unverified) {
      ties.to().gap(Gap.HISTORY_LOST);
    }
    ties.to().lost(why);
  }

  @Override
  public void gap(Gap why) {
    epoch++;
    busy = false;
    waiting.clear();
    owed.clear();
    counted.clear();
    cut = false;
    ties.to().gap(why);
  }
}
