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
import io.stoa.operation.ReadFrom;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
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

  private final RealmConfig config;
  private final DomainContext ties;
  private final Consumer<Change> rules;
  private final FillAdmission fills;
  private final RealmCounters counters = new RealmCounters();
  private final FeedEpochs runs;
  private final Feed feed = new Feed();
  private volatile @Nullable Object home;
  private volatile long unplacedNanos;

  /** True while the next removal of images is scheduled. Confined to the domain's thread. */
  private boolean aging;

  /** Makes a domain whose feed has not begun. */
  public CoherenceDomain(RealmConfig config, DomainContext ties) {
    this(config, ties, change -> {});
  }

  /**
   * Makes a domain whose feed has not begun.
   *
   * @param rules called on the domain's thread with each change, after it has taken effect and
   *     before it counts as applied
   */
  public CoherenceDomain(RealmConfig config, DomainContext ties, Consumer<Change> rules) {
    this.rules = rules;
    this.config = config;
    this.ties = ties;
    this.fills = new FillAdmission(config.kind());
    this.runs = new FeedEpochs(config, ties, counters);
    this.unplacedNanos = ties.clock().getAsLong() - 1;
  }

  /**
   * The collaborators of a domain. Immutable.
   *
   * @param own the executor that applies changes, one after the other
   * @param clock the clock, in nanoseconds
   * @param reliance tells how far the applied changes are behind the servers
   * @param applied called on the domain's thread with the position up to which changes have been
   *     applied
   * @param reader reads as the identity of the feed
   */
  public record DomainContext(
      EventExecutor own,
      LongSupplier clock,
      FreshnessGuarantee reliance,
      Consumer<Position> applied,
      PrivilegedReader reader) {
    /**
     * Makes the context of a domain without in-place updates.
     *
     * @param lease true if the applied changes are close enough behind the servers at a time of the
     *     clock
     */
    public DomainContext(
        EventExecutor own,
        LongSupplier clock,
        LongPredicate lease,
        Consumer<Position> applied,
        PrivilegedReader reader) {
      this(own, clock, FreshnessGuarantee.on(lease), applied, reader);
    }
  }

  /**
   * The outcome for an answer: exactly one component is present. Immutable.
   *
   * @param view the view of a result that the feed can hold
   * @param refusal the reason why only its age bounds the answer
   */
  public record Settled(@Nullable View view, @Nullable Refusal refusal) {}

  /** Returns the sink of the feed, which calls it on a thread of its own. */
  public FeedSink feed() {
    return feed;
  }

  /** Returns the kind of the feed: what it reports, and what entries show. */
  public FeedKind kind() {
    return config.kind();
  }

  public RealmState state() {
    return runs.state();
  }

  /**
   * True if the feed was interrupted a short while ago. A result that is read meanwhile must not
   * replace one that becomes valid again when the feed resumes.
   */
  public boolean isWaiting() {
    return runs.areWaiting();
  }

  /**
   * Sets the server from which the feed comes now, as {@link ReadFrom#server} names it. The server
   * has every change that the feed has reported.
   */
  public void home(@Nullable Object server) {
    home = server;
  }

  /** True if the feed comes from that server now. */
  public boolean isHome(@Nullable Object server) {
    return server != null && server == home;
  }

  /** Returns the collaborators of this domain. */
  public DomainContext ties() {
    return ties;
  }

  /**
   * Called before a search is sent, or a compare, whose query is one of the entry itself.
   *
   * @param base the base as the client has spelled it
   * @param owner notified if a change invalidates the answer; it need not keep the answer yet
   * @return the start of the read; null if the feed cannot hold its answer
   */
  public @Nullable ReadStart open(Query query, byte[] base, ViewListener owner) {
    FeedEpoch now = runs.now();
    if (query.neverKnown()) {
      refused(Refusal.UNTOLD);
    }
    if (now == null || now.terms().areOver() || query.neverKnown()) {
      return null;
    }
    Position covered = now.ring().covered();
    long sent = ties.clock().getAsLong();
    return new ReadStart(query, base, owner, now, home, covered, sent, now.settled(sent));
  }

  /** Counts an answer that the feed cannot hold: its age bounds it, or it is not stored. */
  public void refused(Refusal cause) {
    counters.refused(cause);
  }

  /**
   * Returns a substitute for the entryCSN where servers show only the time of the last change; null
   * if they do not show that either.
   *
   * @param content a value that is equal for equal content
   */
  public @Nullable Csn state(ReadStart opening, byte @Nullable [] changed, Csn content) {
    return changed == null
        ? null
        : opening
            .run()
            .seconds()
            .state(changed, content, opening.sentNanos(), ties.clock().getAsLong());
  }

  /**
   * Makes a view of an answer that has arrived, or returns the reason why only its age bounds it.
   * The view may be live at once or a little later. Not for an answer that shows less than was
   * found.
   */
  public Settled settle(ReadStart opening, Result result, ReadFrom from) {
    if (opening.run() != runs.now()) {
      counters.refused(Refusal.NO_FEED);
      return new Settled(null, Refusal.NO_FEED);
    }
    Settled settled = fills.settle(opening, result, has(opening, from));
    if (settled.view() != null && opening.sentNanos() - unplacedNanos <= 0) {
      settled.view().evicted();
      settled = new Settled(null, Refusal.CHANGED);
    }
    View view = settled.view();
    Refusal refusal = settled.refusal();
    if (view != null) {
      counters.filled();
      view.readAt(ties.clock().getAsLong());
      PendingView candidate = new PendingView(result, view, isHome(from.server()));
      ties.own().execute(() -> examine(opening, result, candidate));
    } else if (refusal != null) {
      counters.refused(refusal);
    }
    return settled;
  }

  /**
   * Returns why an answer that is not stored might be older than one that was given before; null if
   * it is not.
   */
  public @Nullable Refusal contradiction(ReadStart opening, Result result, ReadFrom from) {
    return fills.contradiction(opening, result, has(opening, from));
  }

  /** Returns the known position of the server before the search was sent. */
  public Position had(ReadStart opening, ReadFrom from) {
    return has(opening, from).position();
  }

  private ReadFrom has(ReadStart opening, ReadFrom from) {
    boolean same = from.server() == home && opening.home() == home;
    return same ? from.having(opening.covered()) : from;
  }

  private void examine(ReadStart opening, Result result, PendingView candidate) {
    if (opening.run() == runs.now()) {
      opening.run().confirmer().examine(opening, result, candidate);
    }
  }

  /**
   * Applies a write through Stoa, as far as the server's response describes it. The feed reports it
   * once more.
   *
   * @param applied run on the domain's thread when no older state is served any more
   */
  public void own(Change change, Runnable applied) {
    ties.own()
        .execute(
            () -> {
              try {
                safely(() -> ownChange(change));
              } finally {
                applied.run();
              }
            });
  }

  private void ownChange(Change change) {
    if (change.receipt().csn() == null) {
      take(change);
    } else {
      apply(change);
    }
  }

  /**
   * Applies a write through Stoa without a CSN. Its order among the changes of the feed is not
   * known. Reads under way cannot be compared with it, so none of them is stored.
   */
  void take(Change change) {
    FeedEpoch now = runs.now();
    if (now != null) {
      unplacedNanos = ties.clock().getAsLong();
      MemoryFences.full();
      now.effects().apply(change, null);
      rules.accept(change);
    }
  }

  /**
   * Finds the latest changes of entries that the ring still holds, newest first.
   *
   * @param most the maximum number of changes
   * @param found receives them on the domain's thread
   */
  public void told(Set<Uuid> entries, int most, Consumer<List<RingRecord>> found) {
    ties.own()
        .execute(
            () -> {
              FeedEpoch now = runs.now();
              found.accept(now == null ? List.of() : now.ring().about(entries, most));
            });
  }

  /**
   * Finds the position of a server that has all changes known now, once these have been applied.
   *
   * @param found receives the position on the domain's thread
   */
  public void reached(Consumer<Position> found) {
    ties.own()
        .execute(
            () -> {
              FeedEpoch now = runs.now();
              found.accept(now == null ? Position.NONE : now.ring().reached());
            });
  }

  /** Reports the position of the server as a probe has read it. */
  public void probed(Position position) {
    ties.own()
        .execute(
            () -> {
              FeedEpoch now = runs.now();
              if (now != null) {
                now.sight().probed(position);
              }
            });
  }

  /**
   * Called when access rules have been read for the first time, or have changed.
   *
   * @param told number of changes reported under these rules before the process started
   * @param changed true if the changes reported until now were reported under other rules
   * @param done run on the domain's thread when this has taken effect
   */
  public void rules(int told, boolean changed, Runnable done) {
    ties.own()
        .execute(
            () -> {
              counters.rules(told, changed);
              done.run();
            });
  }

  /** Returns how many reported changes prove what the feed's account sees. */
  public int told() {
    return counters.told();
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
    FeedEpoch now = runs.now();
    ties.own().execute(this::voidAll); // first: a caller that sees the end posts behind it
    if (now != null) {
      now.terms().end();
    }
  }

  /** Flushes because writes through Stoa are not applied in time, and logs a warning. */
  public void overrun() {
    runs.sayOverrun();
    flush();
  }

  /** True if the feed holds no result now. Results that it will hold are read after this call. */
  public boolean isVoid() {
    return runs.areVoid();
  }

  /**
   * True if the feed may hold results read from now on: all changes from before its begin have
   * settled.
   */
  public boolean isSettled() {
    return runs.areSettled();
  }

  private void voidAll() {
    runs.beginAnew();
    hear();
  }

  /**
   * Returns the time, inclusive and at most {@code askedNanos}, up to which all reported changes
   * are either committed or aborted. A change that may be in an open transaction (RFC 5805) holds
   * it back. The settle time is not taken into account.
   */
  public long shown(long askedNanos) {
    FeedEpoch now = runs.now();
    return now == null ? askedNanos : now.shown(askedNanos);
  }

  /** Publishes the position with which an epoch begins. */
  private void hear() {
    FeedEpoch now = runs.now();
    if (now != null) {
      covered(now.ring().covered());
    }
  }

  /**
   * Runs a change. One that cannot be applied may have changed anything, so it flushes all results.
   */
  private void safely(Runnable change) {
    try {
      change.run();
    } catch (RuntimeException e) {
      LOG.error("a change of {} cannot be applied: all is void", config.context(), e);
      voidAll();
    }
  }

  private void apply(Change change) {
    FeedEpoch now = runs.now();
    if (now == null) {
      return;
    }
    boolean anew = runs.state() == RealmState.SUSPENDED;
    boolean first = now.applier().apply(change, anew, home, ties.clock().getAsLong());
    counters.applied(first);
    if (first) {
      rules.accept(change);
    }
    Position cookie = change.receipt().cookie();
    if (cookie != null) {
      if (!(change instanceof Change.Anything)) {
        now.sight().told(cookie);
      }
      covered(cookie);
    }
    age();
  }

  private void covered(Position position) {
    FeedEpoch now = runs.now();
    if (now == null) {
      return;
    }
    if (!now.sight().heard(position)) {
      counters.missed();
      now.effects().ranges().unseen();
    }
    Position covered = now.ring().covered(position);
    now.steps().covered(covered, config.context());
    ties.applied().accept(covered);
  }

  /**
   * Schedules the removal of old images, which must not be kept longer than needed if no change
   * arrives.
   */
  private void age() {
    FeedEpoch now = runs.now();
    if (now != null && !aging && now.ring().hasImages()) {
      aging = true;
      ties.own().schedule(this::aged, config.ring().images().toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void aged() {
    aging = false;
    FeedEpoch now = runs.now();
    if (now != null) {
      now.ring().age(ties.clock().getAsLong());
      age();
    }
  }

  /** Returns the counters and the present state. */
  public RealmStatus status() {
    return counters.status(runs.state(), runs.now(), ties.clock().getAsLong());
  }

  /** Posts the calls of the feed to the domain's thread, in order. Threading: thread-safe. */
  private final class Feed implements FeedSink {
    @Override
    public void change(Change change) {
      ties.own().execute(() -> safely(() -> apply(change)));
    }

    @Override
    public void covered(Position position) {
      ties.own().execute(() -> CoherenceDomain.this.covered(position));
    }

    @Override
    public void gap(FeedGap why) {
      ties.own().execute(runs::end);
    }

    @Override
    public void live(Position position) {
      ties.own().execute(() -> goOn(position));
    }

    @Override
    public void lost(String why) {
      ties.own().execute(this::suspend);
    }

    private void goOn(Position position) {
      FeedEpoch now = runs.now();
      if (now == null) {
        runs.begin(position);
      } else {
        now.resumed(position);
      }
      CoherenceDomain.this.covered(position);
      runs.goOn();
    }

    private void suspend() {
      FeedEpoch now = runs.now();
      if (now != null && runs.suspend()) {
        now.interrupted();
      }
    }
  }
}
