// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import io.stoa.feed.accesslog.LogChanges.EntryState;
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
  static final int MAX_QUEUED = 100_000;

  /**
   * Maximum number of records held back while skipped changes are owed: 10,000. Beyond it no change
   * is skipped.
   */
  private static final int MAX_HELD_BACK = 10_000;

  /**
   * Time in ns without an answer after which the feed begins anew: 1 min. Each search has a shorter
   * deadline of its own.
   */
  private static final long ANSWER_TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Maximum number of entries read by one search: 50. */
  private static final int READ_BATCH = 50;

  /** Maximum number of pauses for the record of a state that the entry already shows: 8. */
  private static final int MAX_PAUSES = 8;

  private static final int AGAIN_MILLIS = 4;

  private final FeedContext context;
  private final LogCoverage coverage;
  private final LogChanges changes;
  private final LogReader reader;
  private final LongSupplier clock;
  private final Deque<LogEvent> queue = new ArrayDeque<>();

  /** The CSN of the last queued record, by entry. */
  private final Map<Uuid, Csn> newest = new HashMap<>();

  /** Entries with a skipped change that a later queued record will report. */
  private final Set<Uuid> skipped = new HashSet<>();

  private final List<Csn> heldBackCsns = new ArrayList<>();
  private @Nullable Anchor last;
  private @Nullable Anchor anchor;
  private Position deliveredPosition = Position.NONE;
  private boolean live;
  private boolean disconnected;
  private boolean busy;
  private boolean stopped;
  private boolean gapReported;
  private long busySince;
  private int tries;
  private int epoch;

  /**
   * Creates a feed without events.
   *
   * @param anchor a record that exists before the first reported one; null if there is none
   */
  LogFeed(
      FeedContext context,
      LogCoverage coverage,
      LogChanges changes,
      LogReader reader,
      @Nullable Anchor anchor) {
    this.context = context;
    this.coverage = coverage;
    this.changes = changes;
    this.reader = reader;
    this.clock = changes.terms().clock();
    this.last = anchor;
    this.anchor = anchor;
  }

  /**
   * A record whose presence proves that no later record was removed.
   *
   * <p>Threading: immutable.
   */
  record Anchor(byte[] dn, Uuid id) {}

  /**
   * An event of the log: a record, an unknown change, the end of a refresh, or a position only.
   *
   * <p>Threading: immutable.
   *
   * @param unknown true if it is not known what was changed
   * @param log the position up to which the log has reported everything; null if not known
   * @param live the position at the end of a refresh; otherwise null
   */
  private record LogEvent(
      @Nullable LogRecord record,
      boolean unknown,
      @Nullable Position log,
      @Nullable Position live) {
    boolean needsRead() {
      return record != null && record.needsRead();
    }
  }

  @Override
  public void onChange(Change change) {
    Position log = change.receipt().cookie();
    Image image = change.image();
    Uuid id = change.uuid();
    if (change instanceof Change.Deleted) {
      enqueue(new LogEvent(null, false, log, null)); // a record was removed from the log
    } else if (image == null || id == null) {
      enqueue(new LogEvent(null, true, log, null));
    } else {
      last = new Anchor(image.entry().dn(), id);
      enqueue(toEvent(image, log));
    }
  }

  private void enqueue(LogEvent next) {
    if (stopped) {
      return;
    }
    queue.add(next);
    LogRecord record = next.record();
    Uuid entry = record == null ? null : record.entry();
    if (record != null && entry != null) {
      newest.merge(entry, record.csn(), (one, other) -> one.compareTo(other) > 0 ? one : other);
    }
    if (queue.size() > MAX_QUEUED) {
      fail("the server writes faster than entries can be read");
    } else if (busy && clock.getAsLong() - busySince > ANSWER_TIMEOUT_NANOS) {
      fail("timeout: the written entries could not be read");
    } else {
      process();
    }
  }

  private LogEvent next() {
    LogEvent next = queue.removeFirst();
    LogRecord record = next.record();
    Uuid entry = record == null ? null : record.entry();
    if (record != null && entry != null) {
      newest.remove(entry, record.csn());
    }
    return next;
  }

  /** Stops this instance before the feed begins anew, so that nothing more is reported. */
  private void fail(String why) {
    stopped = true;
    reset();
    context.restart().accept(why);
  }

  private void reset() {
    epoch++;
    busy = false;
    tries = 0;
    queue.clear();
    newest.clear();
    skipped.clear();
    heldBackCsns.clear();
  }

  private LogEvent toEvent(Image image, @Nullable Position log) {
    LogRecord record = changes.record(image);
    if (record == null) {
      return new LogEvent(null, true, log, null);
    }
    return new LogEvent(changes.isWithin(record) ? record : null, false, log, null);
  }

  @Override
  public void onCovered(Position log) {
    enqueue(new LogEvent(null, false, log, null));
  }

  @Override
  public void onLive(Position log) {
    if (gapReported) {
      // the skipped changes were not counted either
      fail("beginning anew at the current position of the log");
    } else {
      enqueue(new LogEvent(null, false, null, log));
    }
  }

  /** Processes events until it has to wait. */
  private void process() {
    while (!busy && !queue.isEmpty()) {
      LogEvent next = queue.getFirst();
      if (next.needsRead()) {
        readEntries();
      } else if (next.live() != null && disconnected) {
        verify();
      } else {
        deliver(next(), null, false);
      }
    }
  }

  private void readEntries() {
    Set<Uuid> wanted = new LinkedHashSet<>();
    for (LogEvent one : queue) {
      Uuid entry = one.needsRead() && one.record() != null ? one.record().entry() : null;
      if (one.live() != null || wanted.size() >= READ_BATCH) {
        break;
      }
      if (entry != null) {
        wanted.add(entry);
      }
    }
    int startEpoch = begin();
    int queuedBefore = queue.size(); // records that arrive later may be newer than the answer
    reader.read(
        wanted,
        states ->
            postAnswer(
                startEpoch,
                () -> onEntriesRead(new ReadBatch(wanted, states.get(), queuedBefore))));
  }

  private int begin() {
    busy = true;
    busySince = clock.getAsLong();
    return epoch;
  }

  /** Posts an answer to the thread of the feed; ignored if no longer awaited. */
  private void postAnswer(int startEpoch, Runnable answer) {
    try {
      context.executor().execute(() -> onAnswer(startEpoch, answer));
    } catch (RejectedExecutionException e) {
      LOG.debug("answer ignored: the feed is closed", e);
    }
  }

  /** Processes an answer. An answer that fails is a gap. */
  private void onAnswer(int startEpoch, Runnable answer) {
    if (startEpoch != epoch) {
      return;
    }
    busy = false;
    try {
      answer.run();
    } catch (RuntimeException e) {
      LOG.error(
          "feed of {}: a record of the accesslog could not be processed: internal error. The feed"
              + " begins anew",
          changes.terms().context(),
          e);
      fail("a change could not be processed");
    }
  }

  /**
   * The entries read for queued events.
   *
   * <p>Threading: immutable.
   *
   * @param queuedBefore the number of events that were queued before the search was sent
   */
  private record ReadBatch(Set<Uuid> wanted, Map<Uuid, EntryState> entries, int queuedBefore) {
    @Nullable EntryState at(@Nullable LogRecord record) {
      Uuid entry = record == null ? null : record.entry();
      return entry == null ? null : entries.get(entry);
    }
  }

  private void onEntriesRead(ReadBatch batch) {
    for (int left = batch.queuedBefore();
        left > 0 && isKnown(queue.getFirst(), batch.wanted());
        left--) {
      LogRecord record = queue.getFirst().record();
      EntryState state = batch.at(record);
      boolean overtaken = record != null && isOvertaken(record, state);
      if (record != null
          && state != null
          && state.isAhead(record)
          && !overtaken
          && tries++ < MAX_PAUSES) {
        retryLater(new ReadBatch(batch.wanted(), batch.entries(), left));
        return;
      }
      tries = 0;
      deliver(next(), state, overtaken);
    }
    process();
  }

  private boolean isOvertaken(LogRecord record, @Nullable EntryState state) {
    Uuid entry = record.entry();
    return entry != null
        && heldBackCsns.size() < MAX_HELD_BACK
        && LogChanges.isOvertaken(record, state, newest.get(entry));
  }

  private static boolean isKnown(LogEvent next, Set<Uuid> wanted) {
    LogRecord record = next.record();
    boolean wasRead = record == null || !record.needsRead() || wanted.contains(record.entry());
    return next.live() == null && wasRead;
  }

  /** Waits for the record of the state that the entry shows. */
  private void retryLater(ReadBatch batch) {
    int startEpoch = begin();
    context
        .executor()
        .schedule(
            () -> onAnswer(startEpoch, () -> onEntriesRead(batch)),
            AGAIN_MILLIS,
            TimeUnit.MILLISECONDS);
  }

  /**
   * Resumes only if the log still has the last reported record: then it has all later ones, too.
   */
  private void verify() {
    int startEpoch = begin();
    reader.checkExists(anchor, exists -> postAnswer(startEpoch, () -> onVerified(exists)));
  }

  private void onVerified(boolean exists) {
    disconnected = false;
    if (exists) {
      process();
    } else {
      fail("the last reported record was removed from the log");
    }
  }

  /**
   * Delivers an event. While a skipped change is owed, nothing delivered counts as reported, and
   * the position stays.
   *
   * @param overtaken true if a queued record will report the change
   */
  private void deliver(LogEvent event, @Nullable EntryState state, boolean overtaken) {
    LogRecord record = event.record();
    Position livePosition = event.live();
    if (record != null) {
      count(record, overtaken);
    }
    Position reached =
        event.log() == null || !skipped.isEmpty() ? null : toCoveredPosition(event.log());
    if (record != null && !overtaken) {
      context.sink().onChange(changes.of(record, state, reached));
    } else if (event.unknown()) {
      context.sink().onChange(changes.unknown(reached));
    } else if (livePosition != null) {
      live = true;
      context.sink().onLive(toCoveredPosition(livePosition));
    } else if (reached != null && !deliveredPosition.covers(reached)) {
      context.sink().onCovered(reached);
    }
    deliveredPosition = reached == null ? deliveredPosition : deliveredPosition.merge(reached);
  }

  private void count(LogRecord record, boolean overtaken) {
    Uuid entry = record.entry();
    heldBackCsns.add(record.csn());
    if (entry != null && overtaken) {
      skipped.add(entry);
    } else if (entry != null) {
      skipped.remove(entry);
    }
    if (skipped.isEmpty()) {
      heldBackCsns.forEach(coverage::onRecord);
      heldBackCsns.clear();
    }
  }

  private Position toCoveredPosition(Position log) {
    coverage.onLogPosition(log);
    return coverage.coveredPosition(log);
  }

  @Override
  public void onLost(String why) {
    epoch++;
    busy = false;
    tries = 0;
    boolean unverified = disconnected && queue.stream().anyMatch(one -> one.live() != null);
    queue.removeIf(one -> disconnected && one.live() != null);
    deliverRest();
    anchor = live ? last : anchor;
    live = false;
    disconnected = true;
    coverage.onDisconnect();
    if (unverified) {
      fail("disconnected before the log was checked for missing records");
    }
    context.sink().onLost(why);
  }

  /**
   * Delivers the queued events without reading entries. A failure ends this instance, since no
   * caller would report the gap.
   */
  private void deliverRest() {
    try {
      while (!queue.isEmpty()) {
        deliver(next(), null, false);
      }
    } catch (RuntimeException e) {
      LOG.error(
          "feed of {}: a record of the accesslog could not be processed: internal error. The feed"
              + " begins anew",
          changes.terms().context(),
          e);
      fail("a change could not be processed");
    }
  }

  @Override
  public void onGap(FeedGap why) {
    reset();
    disconnected = false;
    if (!gapReported) {
      context.sink().onGap(why);
    }
    gapReported = true;
  }
}
