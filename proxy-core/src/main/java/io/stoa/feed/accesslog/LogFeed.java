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
 * Translates the sync search of an accesslog into changes of a naming context. Reads each entry
 * that was written, and reports the changes in the order of the log.
 *
 * <p>When it cannot continue, it ignores all further events and makes the feed begin anew with
 * another instance.
 *
 * <p>Threading: thread of the feed. Answers from other threads are posted to it.
 */
final class LogFeed implements FeedSink {
  private static final Logger LOG = LoggerFactory.getLogger(LogFeed.class);

  /**
   * Maximum number of queued events, if the server writes faster than entries can be read: 100,000.
   */
  static final int MOST_WAITING = 100_000;

  /**
   * Maximum number of records held back while skipped changes are owed: 10,000. Beyond it no change
   * is skipped.
   */
  private static final int MOST_OWED = 10_000;

  /**
   * Time in ns without an answer after which the feed begins anew: 1 min. Each search has a shorter
   * deadline of its own.
   */
  private static final long SILENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Maximum number of entries read by one search: 50. */
  private static final int MOST_LOOKS = 50;

  /** Maximum number of pauses for the record of a state that the entry already shows: 8. */
  private static final int TRIES = 8;

  private static final int AGAIN_MILLIS = 4;

  private final FeedContext ties;
  private final LogCoverage coverage;
  private final LogChanges changes;
  private final LogReader reader;
  private final LongSupplier clock;
  private final Deque<Told> waiting = new ArrayDeque<>();

  /** The CSN of the last queued record, by entry. */
  private final Map<Uuid, Csn> newest = new HashMap<>();

  /** Entries with a skipped change that a later queued record will report. */
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
   * Creates a feed without events.
   *
   * @param begun a record that exists before the first reported one; null if there is none
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

  /**
   * A record whose presence proves that no later record was removed.
   *
   * <p>Threading: immutable.
   */
  record Witness(byte[] dn, Uuid id) {}

  /**
   * An event of the log: a record, an unknown change, the end of a refresh, or a position only.
   *
   * <p>Threading: immutable.
   *
   * @param unknown true if it is not known what was changed
   * @param log the position up to which the log has reported everything; null if not known
   * @param live the position at the end of a refresh; otherwise null
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
      hear(new Told(null, false, log, null)); // a record was removed from the log
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

  /** Stops this instance before the feed begins anew, so that nothing more is reported. */
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
      fail("it begins anew where the log is now"); // skipped changes were not counted either
    } else {
      hear(new Told(null, false, null, log));
    }
  }

  /** Processes events until it has to wait. */
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
    int asked = waiting.size(); // records that arrive later may be newer than the answer
    reader.look(wanted, looks -> back(now, () -> looked(new Looked(wanted, looks.get(), asked))));
  }

  private int begin() {
    busy = true;
    busySince = clock.getAsLong();
    return epoch;
  }

  /** Posts an answer to the thread of the feed; ignored if no longer awaited. */
  private void back(int then, Runnable answer) {
    try {
      ties.own().execute(() -> take(then, answer));
    } catch (RejectedExecutionException e) {
      LOG.debug("the feed has ended, and hears no more", e);
    }
  }

  /** Processes an answer. An answer that fails is a gap. */
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
   * The entries read for queued events.
   *
   * <p>Threading: immutable.
   *
   * @param asked the number of events that were queued before the search was sent
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

  /** Waits for the record of the state that the entry shows. */
  private void again(Looked seen) {
    int now = begin();
    ties.own().schedule(() -> take(now, () -> looked(seen)), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * Resumes only if the log still has the last reported record: then it has all later ones, too.
   */
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
   * Delivers an event. While a skipped change is owed, nothing delivered counts as reported, and
   * the position stays.
   *
   * @param later true if a queued record will report the change
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

  /**
   * Delivers the queued events without reading entries. A failure ends this instance, since no
   * caller would report the gap.
   */
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
