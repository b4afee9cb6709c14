// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.MemoryFences;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewListener;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.operation.ReadSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One naming context with a change feed: applies its changes, and decides which results the feed
 * holds.
 *
 * <ol>
 *   <li>Changes of the feed and writes through Stoa are applied on one thread, in order of arrival.
 *   <li>Answers are validated against the applied changes on the threads on which they arrive.
 *   <li>A result may be served as fresh while {@link View#isLive}. This costs one read of the
 *       view's state, one of the lease, and one of the clock.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class CoherenceDomain {
  private static final Logger LOG = LoggerFactory.getLogger(CoherenceDomain.class);

  private final DomainConfig config;
  private final DomainContext context;
  private final Consumer<Change> rules;
  private final FillAdmission fills;
  private final DomainCounters counters = new DomainCounters();
  private final FeedEpochs epochs;
  private final Feed feed = new Feed();
  private volatile @Nullable Object feedServer;
  private volatile long unorderedNanos;

  /** True while the next removal of images is scheduled. Confined to the domain's thread. */
  private boolean aging;

  /**
   * Makes a domain whose feed has not begun.
   *
   * @param rules called on the domain's thread with each change, after it has taken effect and
   *     before it counts as applied
   */
  public CoherenceDomain(DomainConfig config, DomainContext context, Consumer<Change> rules) {
    this.rules = rules;
    this.config = config;
    this.context = context;
    this.fills = new FillAdmission(config.kind());
    this.epochs = new FeedEpochs(config, context, counters);
    this.unorderedNanos = context.clock().getAsLong() - 1;
  }

  /**
   * The collaborators of a domain. Immutable.
   *
   * @param executor the executor that applies changes, one after the other
   * @param clock the clock, in nanoseconds
   * @param guarantee tells how far the applied changes are behind the servers
   * @param applied called on the domain's thread with the position up to which changes have been
   *     applied
   * @param reader reads as the identity of the feed
   */
  public record DomainContext(
      EventExecutor executor,
      LongSupplier clock,
      FreshnessGuarantee guarantee,
      Consumer<Position> applied,
      PrivilegedReader reader) {}

  /**
   * The outcome for an answer: exactly one component is present. Immutable.
   *
   * @param view the view of a result that the feed can hold
   * @param refusal the reason why only its age bounds the answer
   */
  public record Admission(@Nullable View view, @Nullable Refusal refusal) {}

  /** Returns the sink of the feed, which calls it on a thread of its own. */
  public FeedSink feed() {
    return feed;
  }

  /** Returns the kind of the feed: what it reports, and what entries show. */
  public FeedKind kind() {
    return config.kind();
  }

  public DomainState state() {
    return epochs.state();
  }

  /**
   * True if the feed was interrupted a short while ago. A result that is read meanwhile must not
   * replace one that becomes valid again when the feed resumes.
   */
  public boolean isInterruptedBriefly() {
    return epochs.isInterruptedBriefly();
  }

  /**
   * Sets the server from which the feed comes now, as {@link ReadSource#server} names it. The
   * server has every change that the feed has reported.
   */
  public void setFeedServer(@Nullable Object server) {
    feedServer = server;
  }

  /** True if the feed comes from that server now. */
  public boolean isFeedServer(@Nullable Object server) {
    return server != null && server == feedServer;
  }

  /** Returns the collaborators of this domain. */
  public DomainContext context() {
    return context;
  }

  /**
   * Called before a search is sent, or a compare, whose query is one of the entry itself.
   *
   * @param base the base as the client has spelled it
   * @param listener notified if a change invalidates the answer; it need not keep the answer yet
   * @return the start of the read; null if the feed cannot hold its answer
   */
  public @Nullable ReadStart beginRead(Query query, byte[] base, ViewListener listener) {
    FeedEpoch now = epochs.current();
    if (query.isUntrackable()) {
      countRefusal(Refusal.NOT_REPORTED);
    }
    if (now == null || now.viewState().isOver() || query.isUntrackable()) {
      return null;
    }
    Position covered = now.ring().covered();
    long sent = context.clock().getAsLong();
    return new ReadStart(
        query, base, listener, now, feedServer, covered, sent, now.settledBefore(sent));
  }

  /** Counts an answer that the feed cannot hold: its age bounds it, or it is not stored. */
  public void countRefusal(Refusal cause) {
    counters.countRefusal(cause);
  }

  /**
   * Returns a substitute for the entryCSN where servers show only the time of the last change; null
   * if they do not show that either.
   *
   * @param content a value that is equal for equal content
   */
  public @Nullable Csn state(ReadStart readStart, byte @Nullable [] changed, Csn content) {
    return changed == null
        ? null
        : readStart
            .epoch()
            .timestamps()
            .state(changed, content, readStart.sentNanos(), context.clock().getAsLong());
  }

  /**
   * Makes a view of an answer that has arrived, or returns the reason why only its age bounds it.
   * The view may be live at once or a little later. Not for an answer that shows less than was
   * found.
   */
  public Admission admit(ReadStart readStart, ReadResult result, ReadSource source) {
    if (readStart.epoch() != epochs.current()) {
      counters.countRefusal(Refusal.NO_FEED);
      return new Admission(null, Refusal.NO_FEED);
    }
    Admission admission = fills.admit(readStart, result, sourceAtStart(readStart, source));
    if (admission.view() != null && readStart.sentNanos() - unorderedNanos <= 0) {
      admission.view().onEvicted();
      admission = new Admission(null, Refusal.CHANGED);
    }
    View view = admission.view();
    Refusal refusal = admission.refusal();
    if (view != null) {
      counters.countFill();
      view.setReadNanos(context.clock().getAsLong());
      PendingView candidate = new PendingView(result, view, isFeedServer(source.server()));
      context.executor().execute(() -> examine(readStart, result, candidate));
    } else if (refusal != null) {
      counters.countRefusal(refusal);
    }
    return admission;
  }

  /** Returns the known position of the server before the search was sent. */
  public Position positionBefore(ReadStart readStart, ReadSource source) {
    return sourceAtStart(readStart, source).position();
  }

  private ReadSource sourceAtStart(ReadStart readStart, ReadSource source) {
    boolean same = source.server() == feedServer && readStart.feedServer() == feedServer;
    return same ? source.withPosition(readStart.covered()) : source;
  }

  private void examine(ReadStart readStart, ReadResult result, PendingView candidate) {
    if (readStart.epoch() == epochs.current()) {
      readStart.epoch().visibilityVerifier().examine(readStart, result, candidate);
    }
  }

  /**
   * Applies a write through Stoa, as far as the server's response describes it. The feed reports it
   * once more.
   *
   * @param onApplied run on the domain's thread when no older state is served any more
   */
  public void applyOwnWrite(Change change, Runnable onApplied) {
    context
        .executor()
        .execute(
            () -> {
              try {
                safely(() -> ownChange(change));
              } finally {
                onApplied.run();
              }
            });
  }

  private void ownChange(Change change) {
    if (change.receipt().csn() == null) {
      applyUnordered(change);
    } else {
      apply(change);
    }
  }

  /**
   * Applies a write through Stoa without a CSN. Its order among the changes of the feed is not
   * known. Reads under way cannot be compared with it, so none of them is stored.
   */
  void applyUnordered(Change change) {
    FeedEpoch now = epochs.current();
    if (now != null) {
      unorderedNanos = context.clock().getAsLong();
      MemoryFences.fullFence();
      now.invalidator().apply(change, null);
      rules.accept(change);
    }
  }

  /**
   * Finds the latest changes of entries that the ring still holds, newest first.
   *
   * @param maxChanges the maximum number of changes
   * @param found receives them on the domain's thread
   */
  public void findRecentChanges(
      Set<Uuid> entries, int maxChanges, Consumer<List<RingRecord>> found) {
    context
        .executor()
        .execute(
            () -> {
              FeedEpoch now = epochs.current();
              found.accept(now == null ? List.of() : now.ring().changesOf(entries, maxChanges));
            });
  }

  /**
   * Finds the position of a server that has all changes known now, once these have been applied.
   *
   * @param found receives the position on the domain's thread
   */
  public void findReachedPosition(Consumer<Position> found) {
    context
        .executor()
        .execute(
            () -> {
              FeedEpoch now = epochs.current();
              found.accept(now == null ? Position.NONE : now.ring().reached());
            });
  }

  /** Reports the position of the server as a probe has read it. */
  public void onProbed(Position position) {
    context
        .executor()
        .execute(
            () -> {
              FeedEpoch now = epochs.current();
              if (now != null) {
                now.visibility().onProbed(position);
              }
            });
  }

  /**
   * Called when access rules have been read for the first time, or have changed.
   *
   * @param reportedChanges number of changes reported under these rules before the process started
   * @param changed true if the changes reported until now were reported under other rules
   * @param done run on the domain's thread when this has taken effect
   */
  public void onAccessRules(int reportedChanges, boolean changed, Runnable done) {
    context
        .executor()
        .execute(
            () -> {
              counters.onAccessRules(reportedChanges, changed);
              done.run();
            });
  }

  /** Returns how many reported changes prove what the feed's account sees. */
  public int confirmedChanges() {
    return counters.confirmed();
  }

  /** True if the feed has left out a change that the access rules let its account see. */
  public boolean isRefuted() {
    return counters.isRefuted();
  }

  /**
   * Invalidates all results at once, however late the domain's thread is, because the state derived
   * from the feed must not be trusted. The feed itself goes on. Results that are read later count
   * after that thread has reached this task.
   */
  public void flush() {
    FeedEpoch now = epochs.current();
    context.executor().execute(this::flushNow); // first: a caller that sees the end posts behind it
    if (now != null) {
      now.viewState().end();
    }
  }

  /** Flushes because writes through Stoa are not applied in time, and logs a warning. */
  public void flushOverloaded() {
    epochs.warnOverload();
    flush();
  }

  /** True if the feed holds no result now. Results that it will hold are read after this call. */
  public boolean isEmpty() {
    return epochs.isEmpty();
  }

  /**
   * True if the feed may hold results read from now on: all changes from before its begin have
   * settled.
   */
  public boolean isSettled() {
    return epochs.isSettled();
  }

  private void flushNow() {
    epochs.flush();
    publishStart();
  }

  /**
   * Returns the time, inclusive and at most {@code askedNanos}, up to which all reported changes
   * are either committed or aborted. A change that may be in an open transaction (RFC 5805) holds
   * it back. The settle time is not taken into account.
   */
  public long committedUntil(long askedNanos) {
    FeedEpoch now = epochs.current();
    return now == null ? askedNanos : now.committedUntil(askedNanos);
  }

  /** Publishes the position with which an epoch begins. */
  private void publishStart() {
    FeedEpoch now = epochs.current();
    if (now != null) {
      onCovered(now.ring().covered());
    }
  }

  /**
   * Runs a change. One that cannot be applied may have changed anything, so it flushes all results.
   */
  private void safely(Runnable change) {
    try {
      change.run();
    } catch (RuntimeException e) {
      LOG.error(
          "feed of {}: a change could not be applied: internal error. All results held by this feed"
              + " were invalidated.",
          config.context(),
          e);
      flushNow();
    }
  }

  private void apply(Change change) {
    FeedEpoch now = epochs.current();
    if (now == null) {
      return;
    }
    boolean resumed = epochs.state() == DomainState.SUSPENDED;
    boolean first = now.applier().apply(change, resumed, feedServer, context.clock().getAsLong());
    counters.countApplied(first);
    if (first) {
      rules.accept(change);
    }
    Position cookie = change.receipt().cookie();
    if (cookie != null) {
      if (!(change instanceof Change.Unknown)) {
        now.visibility().onReported(cookie);
      }
      onCovered(cookie);
    }
    scheduleAging();
  }

  private void onCovered(Position position) {
    FeedEpoch now = epochs.current();
    if (now == null) {
      return;
    }
    if (!now.visibility().onCovered(position)) {
      counters.onMissedChange();
      now.invalidator().subtrees().invalidateWide();
    }
    Position covered = now.ring().covered(position);
    now.regressions().onCovered(covered, config.context());
    context.applied().accept(covered);
  }

  /**
   * Schedules the removal of old images, which must not be kept longer than needed if no change
   * arrives.
   */
  private void scheduleAging() {
    FeedEpoch now = epochs.current();
    if (now != null && !aging && now.ring().hasImages()) {
      aging = true;
      context
          .executor()
          .schedule(this::onAged, config.ring().imageAge().toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void onAged() {
    aging = false;
    FeedEpoch now = epochs.current();
    if (now != null) {
      now.ring().removeAged(context.clock().getAsLong());
      scheduleAging();
    }
  }

  /** Returns the counters and the present state. */
  public DomainStatus status() {
    return counters.status(epochs.state(), epochs.current(), context.clock().getAsLong());
  }

  /** Posts the calls of the feed to the domain's thread, in order. Threading: thread-safe. */
  private final class Feed implements FeedSink {
    @Override
    public void onChange(Change change) {
      context.executor().execute(() -> safely(() -> apply(change)));
    }

    @Override
    public void onCovered(Position position) {
      context.executor().execute(() -> CoherenceDomain.this.onCovered(position));
    }

    @Override
    public void onGap(FeedGap why) {
      context.executor().execute(epochs::end);
    }

    @Override
    public void onLive(Position position) {
      context.executor().execute(() -> resume(position));
    }

    @Override
    public void onLost(String why) {
      context.executor().execute(this::suspend);
    }

    private void resume(Position position) {
      FeedEpoch now = epochs.current();
      if (now == null) {
        epochs.begin(position);
      } else {
        now.onResumed(position);
      }
      CoherenceDomain.this.onCovered(position);
      epochs.resume();
    }

    private void suspend() {
      FeedEpoch now = epochs.current();
      if (now != null && epochs.suspend()) {
        now.onInterrupted();
      }
    }
  }
}
