// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import io.stoa.feed.accesslog.LogChanges.Look;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.syncrepl.FeedCapabilities.FeedContext;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes changes of a naming context of what a sync search of its accesslog tells: looks at each
 * entry that was written, and tells of it when it has seen it, in the order of the log. When it
 * cannot go on it hears nothing any more, and has the feed begin anew with another one. Confined to
 * the thread of the feed, to which it brings back what it is told elsewhere.
 */
final class LogFeed implements FeedSink {
  private static final Logger LOG = LoggerFactory.getLogger(LogFeed.class);

  /** So much may wait, if a server writes faster than it can be looked at. */
  static final int MOST_WAITING = 100_000;

  /** So many changes may be told later, by others, before each is told by itself. */
  private static final int MOST_OWED = 10_000;

  /** Every question has a deadline of its own; who hears nothing for so long will not. */
  private static final long SILENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Entries that are looked at at once. */
  private static final int MOST_LOOKS = 50;

  /** So often it is waited for the record of what an entry shows already. */
  private static final int TRIES = 8;

  private static final int AGAIN_MILLIS = 4;

  private final FeedContext ties;
  private final LogCoverage coverage;
  private final LogChanges changes;
  private final LogReader reader;
  private final LongSupplier clock;
  private final Deque<Told> waiting = new ArrayDeque<>();

  /** Of each entry of which something waits, the last of that. */
  private final Map<Uuid, Csn> newest = new HashMap<>();

  /** Entries of which a change was not told, because a later one waits. */
  private final Set<Uuid> owed = new HashSet<>();

  private final List<Csn> counted = new ArrayList<>();
  private @Nullable Witness last;
  private @Nullable Witness anchor;
  private Position passed = Position.NONE;
  private boolean live;
  private boolean cut;
  private boolean busy;
  private boolean deaf;
  private boolean voided;
  private long busySince;
  private int tries;
  private int epoch;

  /**
   * Has heard nothing yet.
   *
   * @param begun a record that is there before the first that is told; null if there is none
   */
  LogFeed(
      FeedContext ties,
      LogCoverage coverage,
      LogChanges changes,
      LogReader reader,
      @Nullable Witness begun) {
    this.ties = ties;
    this.coverage = coverage;
    this.changes = changes;
    this.reader = reader;
    this.clock = changes.terms().clock();
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
      hear(new Told(null, false, log, null)); // taken out of the log
    } else if (image == null || id == null) {
      hear(new Told(null, true, log, null));
    } else {
      last = new Witness(image.entry().dn(), id);
      hear(told(image, log));
    }
  }

  private void hear(Told next) {
    if (deaf) {
      return;
    }
    waiting.add(next);
    LogRecord record = next.record();
    Uuid entry = record == null ? null : record.entry();
    if (record != null && entry != null) {
      newest.merge(entry, record.csn(), (one, other) -> one.compareTo(other) > 0 ? one : other);
    }
    if (waiting.size() > MOST_WAITING) {
      fail("the server writes faster than entries can be read");
    } else if (busy && clock.getAsLong() - busySince > SILENCE_NANOS) {
      fail("the server does not show what was written");
    } else {
      go();
    }
  }

  private Told next() {
    Told next = waiting.removeFirst();
    LogRecord record = next.record();
    Uuid entry = record == null ? null : record.entry();
    if (record != null && entry != null) {
      newest.remove(entry, record.csn());
    }
    return next;
  }

  /** Nothing is told on before all is void. */
  private void fail(String why) {
    deaf = true;
    reset();
    ties.end().accept(why);
  }

  private void reset() {
    epoch++;
    busy = false;
    tries = 0;
    waiting.clear();
    newest.clear();
    owed.clear();
    counted.clear();
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
    hear(new Told(null, false, log, null));
  }

  @Override
  public void live(Position log) {
    if (voided) {
      fail("it begins anew where the log is now"); // what was left out was not counted either
    } else {
      hear(new Told(null, false, null, log));
    }
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
        pass(next(), null, false);
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
    int now = begin();
    int asked = waiting.size(); // what comes later may be later than what is read
    reader.look(wanted, looks -> back(now, () -> looked(new Looked(wanted, looks.get(), asked))));
  }

  private int begin() {
    busy = true;
    busySince = clock.getAsLong();
    return epoch;
  }

  /** Goes on with an answer, on its own thread, if it is waited for still. */
  private void back(int then, Runnable answer) {
    try {
      ties.own().execute(() -> take(then, answer));
    } catch (RejectedExecutionException e) {
      LOG.debug("the feed has ended, and hears no more", e);
    }
  }

  /** Whatever cannot be handed on is a gap. */
  private void take(int then, Runnable answer) {
    if (then != epoch) {
      return;
    }
    busy = false;
    try {
      answer.run();
    } catch (RuntimeException e) {
      LOG.error("what the accesslog says cannot be taken: a defect", e);
      fail("a change could not be taken");
    }
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

  private void looked(Looked seen) {
    for (int left = seen.asked(); left > 0 && isKnown(waiting.getFirst(), seen.wanted()); left--) {
      LogRecord record = waiting.getFirst().record();
      Look look = seen.at(record);
      boolean later = record != null && isOvertaken(record, look);
      if (record != null && look != null && look.isAhead(record) && !later && tries++ < TRIES) {
        again(new Looked(seen.wanted(), seen.looks(), left));
        return;
      }
      tries = 0;
      pass(next(), look, later);
    }
    go();
  }

  private boolean isOvertaken(LogRecord record, @Nullable Look look) {
    Uuid entry = record.entry();
    return entry != null
        && counted.size() < MOST_OWED
        && LogChanges.isOvertaken(record, look, newest.get(entry));
  }

  private static boolean isKnown(Told next, Set<Uuid> wanted) {
    LogRecord record = next.record();
    boolean looked = record == null || !record.wantsLook() || wanted.contains(record.entry());
    return next.live() == null && looked;
  }

  /** What the entry shows is told in a moment. */
  private void again(Looked seen) {
    int now = begin();
    ties.own().schedule(() -> take(now, () -> looked(seen)), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** It goes on only if the log still has what it told last: whatever came after is there, too. */
  private void verify() {
    int now = begin();
    reader.isThere(anchor, there -> back(now, () -> verified(there)));
  }

  private void verified(boolean there) {
    cut = false;
    if (there) {
      go();
    } else {
      fail("the log does not have any more what it told last");
    }
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
    tries = 0;
    boolean unverified = cut && waiting.stream().anyMatch(one -> one.live() != null);
    waiting.removeIf(one -> cut && one.live() != null);
    tellRest();
    anchor = live ? last : anchor;
    live = false;
    cut = true;
    coverage.interrupted();
    if (unverified) {
      fail("it was cut off before it was known whether something is missing");
    }
    ties.to().lost(why);
  }

  /** Without looks. What cannot be handed on here has nobody else to call it a gap. */
  private void tellRest() {
    try {
      while (!waiting.isEmpty()) {
        pass(next(), null, false);
      }
    } catch (RuntimeException e) {
      LOG.error("what the accesslog says cannot be taken: a defect", e);
      fail("a change could not be taken");
    }
  }

  @Override
  public void gap(FeedGap why) {
    reset();
    cut = false;
    if (!voided) {
      ties.to().gap(why);
    }
    voided = true;
  }
}
