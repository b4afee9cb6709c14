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
 * What one feed covers. Whatever it tells, and whatever was written through Stoa, is applied on one
 * thread, in the order in which it comes; answers are compared with that on the threads on which
 * they arrive. Thread-safe.
 *
 * <p>An answer may be given as a fresh one as long as {@link View#isLive}: that costs one look at
 * the state of the view, one at the lease, and one at the clock.
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

  /** Of the realm's thread. */
  private boolean aging;

  /** Makes one whose feed has not begun. */
  public CoherenceDomain(RealmConfig config, DomainContext ties) {
    this(config, ties, change -> {});
  }

  /**
   * The same.
   *
   * @param rules are told of each change when it has taken effect, and before it counts as applied;
   *     on the realm's thread
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
   * What a realm needs of others. Immutable.
   *
   * @param own where changes are applied, one after the other
   * @param clock in nanoseconds
   * @param reliance on what is known of how far behind the servers it is
   * @param applied is told up to where changes have been applied, on the realm's thread
   * @param reader reads as the identity of the feed
   */
  public record DomainContext(
      EventExecutor own,
      LongSupplier clock,
      FreshnessGuarantee reliance,
      Consumer<Position> applied,
      PrivilegedReader reader) {
    /**
     * Those of a realm that changes nothing in place.
     *
     * @param lease whether, at a time of the clock, what is applied is known to be close enough
     *     behind the servers
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
   * What has become of an answer: exactly one of the two is there. Immutable.
   *
   * @param view what the answer rests on
   * @param refusal why it rests on nothing but its age
   */
  public record Settled(@Nullable View view, @Nullable Refusal refusal) {}

  /** What the feed calls, on a thread of its own. */
  public FeedSink feed() {
    return feed;
  }

  /** What the feed tells, and entries show. */
  public FeedKind kind() {
    return config.kind();
  }

  public RealmState state() {
    return runs.state();
  }

  /**
   * Whether the feed was cut off a short while ago: what is read meanwhile is not to take the place
   * of what will be right again when it goes on.
   */
  public boolean isWaiting() {
    return runs.areWaiting();
  }

  /**
   * The server from which the feed comes now, as {@link ReadFrom#server} names it: it has whatever
   * the feed has told.
   */
  public void home(@Nullable Object server) {
    home = server;
  }

  /** Whether the feed comes from that server now. */
  public boolean isHome(@Nullable Object server) {
    return server != null && server == home;
  }

  /** What it has of others. */
  public DomainContext ties() {
    return ties;
  }

  /**
   * Before a search is sent, or a compare (of which the query is one of the entry itself).
   *
   * @param base the base as the client has spelled it
   * @param owner is told if a change makes the answer void; it need not keep it yet
   * @return null if its answer cannot rest on the feed
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

  /** An answer cannot rest on the feed: nothing but its age bounds it, or it is not kept. */
  public void refused(Refusal cause) {
    counters.refused(cause);
  }

  /**
   * What stands for the state of an entry where servers show no more of it than when it was
   * changed; null if that is not shown either.
   *
   * @param content the same for the same content
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
   * When the answer is there: makes a view of it, which may be live already or become so a little
   * later, or says why its age is all that it can rest on. Not for answers that show less than they
   * have found.
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
   * Why an answer that is not to be kept might be older than another that was given before; null if
   * it is not.
   */
  public @Nullable Refusal contradiction(ReadStart opening, Result result, ReadFrom from) {
    return fills.contradiction(opening, result, has(opening, from));
  }

  /** What the server had, as far as is known, before the search was sent. */
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
   * Applies what was done through Stoa. What is known of it is what the server has answered; the
   * feed tells it once more.
   *
   * @param applied is run on the realm's thread: from then on nobody is given what was before
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
   * Where it stands among the changes of the feed nobody knows, so that it cannot be compared with
   * what is being read: none of that is kept.
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
   * What was told of entries lately, the last first, as far as it is still known.
   *
   * @param most no more than so many
   * @param found is given it on the realm's thread
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
   * Up to where changes have been applied when those have been that are known now.
   *
   * @param found is given on the realm's thread what a server has that has all of them
   */
  public void reached(Consumer<Position> found) {
    ties.own()
        .execute(
            () -> {
              FeedEpoch now = runs.now();
              found.accept(now == null ? Position.NONE : now.ring().reached());
            });
  }

  /** The server has counted its changes up to there, as a probe has read it. */
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
   * Rules of access are known, or others than before.
   *
   * @param told how many changes were told under them before the process started
   * @param changed true if what was told until now was told under others
   * @param done is run on the realm's thread when this is taken into account
   */
  public void rules(int told, boolean changed, Runnable done) {
    ties.own()
        .execute(
            () -> {
              counters.rules(told, changed);
              done.run();
            });
  }

  /** How many changes have been told that prove what the account sees. */
  public int told() {
    return counters.told();
  }

  /** True if the feed has left out a change that rules of access let its account see. */
  public boolean isRefuted() {
    return counters.isRefuted();
  }

  /**
   * All is void at once, however late the realm's thread is, though the feed goes on: what was
   * concluded from it is not to be believed. What is read later counts when that thread has come to
   * this.
   */
  public void flush() {
    FeedEpoch now = runs.now();
    ties.own().execute(this::voidAll); // who sees the end has what he did applied after this
    if (now != null) {
      now.terms().end();
    }
  }

  /** What was done through Stoa has not been applied in time: all is void. People are told. */
  public void overrun() {
    runs.sayOverrun();
    flush();
  }

  /** Whether nothing rests on the feed now; what will is read later than this is asked. */
  public boolean isVoid() {
    return runs.areVoid();
  }

  /** Whether what is read from now on may rest on the feed, for all that it has begun with. */
  public boolean isSettled() {
    return runs.areSettled();
  }

  private void voidAll() {
    runs.beginAnew();
    hear();
  }

  /**
   * Up to when, that time included, all that was told is shown to whoever asks then, or never will
   * be, but for what has not settled: not later than that time. What may be in a transaction (RFC
   * 5805) holds it back.
   */
  public long shown(long askedNanos) {
    FeedEpoch now = runs.now();
    return now == null ? askedNanos : now.shown(askedNanos);
  }

  /** What a run begins with counts as told. */
  private void hear() {
    FeedEpoch now = runs.now();
    if (now != null) {
      covered(now.ring().covered());
    }
  }

  /** A change that cannot be applied may have changed anything. */
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

  /** What entries looked like is not kept longer than it is of use, even if nothing happens. */
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

  /** What it has done, and where it stands. */
  public RealmStatus status() {
    return counters.status(runs.state(), runs.now(), ties.clock().getAsLong());
  }

  /** Posts what the feed says to the realm's thread, in order. Thread-safe. */
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
