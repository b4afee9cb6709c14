// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import io.stoa.backend.Backend;
import io.stoa.change.Change;
import io.stoa.change.FeedSink;
import io.stoa.change.Gap;
import io.stoa.change.Position;
import io.stoa.codec.GuardedTask;
import io.stoa.coherence.CoherenceLease;
import io.stoa.coherence.Prober;
import io.stoa.feed.FeedSupervisor;
import io.stoa.feed.SyncTerms;
import io.stoa.filter.Image;
import io.stoa.ldap.SearchEntry;
import io.stoa.match.NormalDn;
import io.stoa.realm.Realm;
import io.stoa.realm.Realm.Ties;
import io.stoa.realm.RealmConfig;
import io.stoa.watch.Ground;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The feed of one naming context, the lease that says how far behind it is, and what rests on both.
 * Thread-safe.
 */
final class ContextFeed implements AutoCloseable {
  private final String context;
  private final FeedTerms terms;
  private final EventExecutor own;
  private final CoherenceLease lease;
  private final FeedSupervisor supervisor;
  private final Realm realm;
  private final Prober prober;
  private final ScheduledFuture<?> turns;
  private volatile Knowledge known;

  /**
   * Begins one.
   *
   * @param context its name as the directory spells it
   */
  ContextFeed(String context, FeedTerms terms, Knowledge known) {
    this.context = context;
    this.terms = terms;
    this.known = known;
    this.own = new DefaultEventExecutor(new DefaultThreadFactory("stoa-realm", true));
    this.lease = new CoherenceLease(terms.config().maxStaleness(), terms.latency());
    SyncTerms sync =
        new SyncTerms(
            terms.positionName(context),
            terms.config().feed().refreshLimit(),
            terms.secret(),
            new Present(),
            System::nanoTime);
    this.supervisor =
        new FeedSupervisor(
            terms.supervision(context), sync, terms.servers()::candidates, new Heard());
    this.realm = new Realm(realmConfig(sync), ties());
    this.prober =
        new Prober(terms.loop(), terms.servers()::writable, this::ask, lease, System::nanoTime);
    long period = prober.interval().toMillis();
    this.turns =
        terms
            .loop()
            .scheduleAtFixedRate(new GuardedTask(prober::turn), 0, period, TimeUnit.MILLISECONDS);
    supervisor.start();
  }

  private RealmConfig realmConfig(SyncTerms sync) {
    return new RealmConfig(
        sync.context(),
        dn -> known.name(dn),
        sync.secret(),
        RealmConfig.SETTLE,
        RealmConfig.RING,
        terms.config().seesAll() ? 0 : RealmConfig.PROOFS);
  }

  private Ties ties() {
    return new Ties(own, System::nanoTime, lease::live, lease::applied, supervisor.reader());
  }

  private void ask(Object server, Consumer<Position> told) {
    Consumer<Position> both =
        position -> {
          told.accept(position);
          realm.probed(position);
        };
    if (realm.isHome(server)) {
      terms.ask(supervisor.reader(), context, both);
    } else {
      terms.ask(server, context, both);
    }
  }

  /** Names and entries, by what is known now. */
  private final class Present implements SyncTerms.Rules {
    @Override
    public NormalDn name(byte[] dn) {
      return known.name(dn);
    }

    @Override
    public Image image(SearchEntry entry) {
      return known.image(entry);
    }
  }

  /** Passes on what the feed says, and what follows from it for the lease. */
  private final class Heard implements FeedSink {
    @Override
    public void change(Change change) {
      realm.feed().change(change);
      terms.told().run();
    }

    @Override
    public void covered(Position position) {
      realm.feed().covered(position);
    }

    /** What was proved before is not proved of what comes now: not before the realm has heard. */
    @Override
    public void gap(Gap why) {
      realm.feed().gap(why);
      terms.told().run();
      own.execute(lease::revoke);
    }

    @Override
    public void live(Position position) {
      Backend home = terms.servers().named(supervisor.status().server());
      realm.home(home);
      realm.feed().live(position);
      prober.hurry();
    }

    @Override
    public void lost(String why) {
      realm.home(null);
      realm.feed().lost(why);
    }
  }

  /** Where it is, and how names and filters are read there. */
  Ground ground() {
    Knowledge now = known;
    return new Ground(
        realm,
        now.profile(),
        now.rules(),
        terms.config().maxAclStaleness(),
        terms.servers().only());
  }

  /** Names and filters are read in another way from now on. */
  void know(Knowledge next) {
    if (!next.equals(known)) {
      known = next;
      realm.flush(Gap.SCHEMA);
    }
  }

  String context() {
    return context;
  }

  byte[] base() {
    return context.getBytes(StandardCharsets.UTF_8);
  }

  RealmReport report() {
    long proved = lease.asOf();
    long age = proved == CoherenceLease.NEVER ? -1 : System.nanoTime() - proved;
    return new RealmReport(context, supervisor.status(), realm.status(), age, lease.bound());
  }

  /** Ends by itself: whoever asks does not wait. */
  void retire() {
    own.execute(this::close);
  }

  @Override
  public void close() {
    turns.cancel(false);
    supervisor.close();
    own.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
