// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.view.MemoryFences;
import io.stoa.coherence.view.View;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Anything;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Source;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies changes one after the other: first it is written down, then it takes effect on the views,
 * and only then its position is told. Confined to the realm's thread.
 */
final class ChangeApplier {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeApplier.class);

  /** What happens with each change is said once in that time. */
  private static final long SAID_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** What is told in another order is not so far apart. */
  private static final long CLEARLY_SECONDS = 1;

  private final FeedEpoch run;
  private final Predicate<byte[]> secret;
  private final boolean namesAreTold;
  private final String context;

  /** When it was said last that a clock was set back. */
  private @Nullable Long saidNanos;

  ChangeApplier(FeedEpoch run, RealmConfig config) {
    this.run = run;
    this.secret = config.secret();
    this.namesAreTold = config.kind().tellsNames();
    this.context = config.context();
  }

  /**
   * False if it had been applied before.
   *
   * @param anew whether a feed that goes on after a cut may be telling again what it has told
   * @param home from where the feed comes; null if that is not known
   */
  boolean apply(Change change, boolean anew, @Nullable Object home, long now) {
    LastCsn last = run.last();
    if (last.wasToldBefore(change)) {
      toldBefore(change);
      return false;
    }
    boolean back = goesBack(change, anew);
    NormalDn old = old(change);
    Change placed = namesAreTold ? change : placed(change, old, anew);
    if (!back && last.has(change)) {
      if (!anew) {
        toldAgain(placed, old, home, now);
      }
      wasElsewhere(placed, now);
      knownAgain(change, now);
      return false;
    }
    if (back) {
      goBack(placed, old, home, now);
      return true;
    }
    boolean late = last.hasNewer(change);
    RingRecord record = run.ring().append(withoutSecrets(placed), now);
    watch(change, now);
    if (!late) {
      last.note(record, isWhole(change));
      pass(change);
    }
    MemoryFences.full();
    if (late) {
      run.effects().applyLate(placed, old);
    } else {
      run.images().await(record, effects(record, placed, old));
      place(placed);
    }
    return true;
  }

  /**
   * Whether the server counts from an earlier time again than it did before, as it does when its
   * clock was set back. The feed never tells anything new by what its position has covered, but for
   * the beginning, when it tells all that is later than the oldest mark of its cookie. Nor does its
   * server take from another one what is older than what it has: if it goes back behind what that
   * has counted, it has taken a change itself, by a clock that is behind the other one. Of what was
   * done through Stoa nobody knows: somebody else may have changed the entry since it was read.
   */
  private boolean goesBack(Change change, boolean anew) {
    Csn csn = change.csn();
    RingRecord last = change.uuid() == null ? null : run.last().of(change.uuid());
    if (csn == null || !csn.isOrdered() || (last != null && csn.equals(last.change().csn()))) {
      return false;
    }
    if (change.receipt().source() == Source.OWN_WRITE) {
      return run.last().hasNewerOf(change, csn.origin())
          || (isCovered(csn) && run.last().hasNewer(change));
    }
    return !anew && (isCovered(csn) || run.last().hasNewerOfAnother(change, csn.origin()));
  }

  private List<View> effects(RingRecord record, Change placed, @Nullable NormalDn old) {
    return record.isBehind()
        ? run.effects().applyBehind(placed, old)
        : run.effects().apply(placed, old);
  }

  /**
   * The feed has come to what was done through Stoa only now, after what is counted later: that is
   * why it was behind, and not that somebody has failed to write.
   */
  private void toldAgain(Change change, @Nullable NormalDn old, @Nullable Object home, long now) {
    RingRecord last = change.uuid() == null ? null : run.last().of(change.uuid());
    Csn csn = change.csn();
    boolean told = change.receipt().source() == Source.FEED;
    if (told && csn != null && isCovered(csn) && isOwn(last, csn)) {
      say(change, now);
      shield(change, old, null, home, now);
      MemoryFences.full();
      run.effects().applyAgain(change, old);
    }
  }

  /**
   * The feed comes to a name that an entry had, or may have had, before what is known of it
   * already: who looked then may be compared with it only now.
   */
  private void wasElsewhere(Change placed, long now) {
    boolean told = placed.receipt().source() == Source.FEED;
    if (told && placed instanceof Renamed it && it.old() != null) {
      run.ring().append(withoutSecrets(it), now);
      MemoryFences.full();
      run.effects().ranges().renamed(it);
    }
  }

  /**
   * Who wrote through Stoa knows which names were left and taken; the feed that has told of it does
   * not, and may have lost by what name the entry was known before, or that another was.
   */
  private void knownAgain(Change change, long now) {
    RingRecord last = change.uuid() == null ? null : run.last().of(change.uuid());
    if (change.receipt().source() != Source.OWN_WRITE || last == null) {
      return;
    }
    last.own();
    if (change instanceof Renamed it) {
      run.ring().append(withoutSecrets(it), now); // the feed has not told the name that it had
      MemoryFences.full();
      run.effects().applyAgain(it, it.old());
    } else {
      tookAgain(change);
    }
  }

  /** The same where the feed has told even what followed. */
  private void toldBefore(Change change) {
    Uuid uuid = change.uuid();
    Csn csn = change.csn();
    RingRecord told = uuid == null || csn == null ? null : run.ring().of(uuid, csn);
    if (told != null) {
      told.own();
    }
    tookAgain(change);
  }

  private void tookAgain(Change change) {
    MemoryFences.full();
    run.effects().taken(change);
  }

  private static boolean isOwn(@Nullable RingRecord record, Csn csn) {
    return record != null
        && record.change().receipt().source() == Source.OWN_WRITE
        && csn.equals(record.change().csn());
  }

  /** That it is gone proves something only if it is known to have been there. */
  private void watch(Change change, long now) {
    RingRecord last = change.uuid() == null ? null : run.last().of(change.uuid());
    boolean wasThere =
        last == null ? run.wasThere(now) : last.appendedNanos() - run.commits().settled(now) < 0;
    run.commits().told(change, wasThere, now);
    run.watch().watch();
  }

  /** Who has come to what is counted later than all before has the entry as it is now. */
  private void pass(Change change) {
    Csn csn = change.csn();
    if (csn != null && told(csn) != null && !isCovered(csn)) {
      run.steps().passed(change);
    }
  }

  private boolean isCovered(Csn csn) {
    Csn latest = told(csn);
    return latest != null && latest.compareTo(csn) >= 0;
  }

  /** The last that the feed has covered of the changes of the same server. */
  private @Nullable Csn told(Csn csn) {
    return csn.lastIn(run.ring().covered(), context);
  }

  /**
   * Nothing can be concluded of which of two states is later: whatever shows the entry, and may
   * have been read before, is void. What the feed tells is the later one, so that what it told
   * before is not compared with anything any more; it has yet to tell what was done through Stoa.
   */
  private void goBack(Change change, @Nullable NormalDn old, @Nullable Object home, long now) {
    boolean told = change.receipt().source() == Source.FEED;
    shield(change, old, told ? null : latest(change), home, now);
    if (told) {
      say(change, now);
      run.last().refute(change);
      watch(change, now);
      run.last().note(run.ring().append(withoutSecrets(change), now), isWhole(change));
    }
    MemoryFences.full();
    run.effects().applyBack(change, old);
    if (told) {
      place(change);
    }
  }

  /** The later count, by which what was done through Stoa is one that was set back. */
  private @Nullable Csn latest(Change change) {
    Csn csn = change.csn();
    Csn covered = csn == null ? null : told(csn);
    RingRecord last = change.uuid() == null ? null : run.last().of(change.uuid());
    Csn known = last == null ? null : last.change().csn();
    if (csn == null || known == null || !known.origin().equals(csn.origin())) {
      return covered;
    }
    return covered == null || known.compareTo(covered) > 0 ? known : covered;
  }

  private void shield(
      Change change, @Nullable NormalDn old, @Nullable Csn until, @Nullable Object home, long now) {
    Anything around = new Anything(place(change, old), change.receipt());
    run.steps().add(run.ring().append(around, now), change, until, home);
  }

  private void say(Change change, long now) {
    Long last = saidNanos;
    Csn csn = change.csn();
    Csn latest = csn == null ? null : told(csn);
    if (csn != null
        && latest != null
        && (last == null || now - last > SAID_NANOS)
        && csn.seconds() < latest.seconds() - CLEARLY_SECONDS) {
      saidNanos = now;
      LOG.warn(
          "{}: the server with the server ID {} has counted a change as {} after {}: if its clock was"
              + " set back, what is behind cannot be told from what it counts until it comes there"
              + " again, and little is changed in place",
          context,
          csn.origin(),
          csn.text(),
          latest.text());
    }
  }

  /** Where it was and is; null if that is not known to be one place. */
  private static @Nullable NormalDn place(Change change, @Nullable NormalDn old) {
    boolean moved = change instanceof Renamed || (old != null && !old.equals(change.dn()));
    return moved ? null : change.dn();
  }

  private static boolean isWhole(Change change) {
    Image image = change.image();
    return change instanceof Deleted || (image != null && image.complete());
  }

  private static Change withoutImage(Change change) {
    if (change instanceof Renamed it) {
      return new Renamed(it.uuid(), it.old(), it.dn(), it.leaf(), null, it.receipt());
    }
    return change instanceof Modified it
        ? new Modified(it.uuid(), it.dn(), null, it.receipt())
        : change;
  }

  /** The name that the entry had; null if that is not known, or it was not there. */
  private @Nullable NormalDn old(Change change) {
    if (!namesAreTold) {
      Uuid uuid = change.uuid();
      return uuid == null ? null : former(uuid, change);
    }
    if (change instanceof Renamed it) {
      return it.old();
    }
    return change.receipt().source() == Source.FEED ? change.dn() : null;
  }

  /** What is gone had the name by which it was read, however that was ordered: it had no other. */
  private @Nullable NormalDn former(Uuid uuid, Change change) {
    boolean gone = change instanceof Deleted;
    return gone ? run.places().last(uuid) : run.places().before(uuid, change.csn());
  }

  /**
   * The same with what is known of the names of entries above others. One with something below it
   * that was not known may have had any other name before.
   */
  private Change placed(Change change, @Nullable NormalDn old, boolean anew) {
    if (change instanceof Deleted it && it.dn() == null) {
      return new Deleted(it.uuid(), old, it.receipt());
    }
    if (change instanceof Renamed it && it.old() == null) {
      return new Renamed(it.uuid(), old, it.dn(), it.leaf(), it.image(), it.receipt());
    }
    if (change instanceof Modified it && (isRenamed(it, old) || mayHaveBeenAway(it, old, anew))) {
      boolean leaf = isLeaf(it.image());
      return new Renamed(it.uuid(), old, it.dn(), leaf, it.image(), it.receipt());
    }
    return change;
  }

  /**
   * Whether it may have had another name for a while, of which nothing is told any more: a feed
   * that goes on after a cut tells the last state only, and one that is behind tells what it has
   * come to of a state that is later than that.
   */
  private boolean mayHaveBeenAway(Modified change, @Nullable NormalDn old, boolean anew) {
    Position cookie = change.receipt().cookie();
    Csn csn = change.csn();
    boolean early = cookie != null && csn != null && !csn.equals(csn.lastIn(cookie, context));
    return old != null && (anew || early);
  }

  private static boolean isRenamed(Modified change, @Nullable NormalDn old) {
    return old == null ? !isLeaf(change.image()) : !old.equals(change.dn());
  }

  private static boolean isLeaf(@Nullable Image image) {
    return image != null && image.isLeaf();
  }

  /** Then what it looks like is forgotten: no question about it can be answered from the ring. */
  private Change withoutSecrets(Change change) {
    Image image = change.image();
    if (image == null || image.entry().attributes().stream().noneMatch(this::isSecret)) {
      return change;
    }
    return withoutImage(change);
  }

  private boolean isSecret(AttributeOctets attribute) {
    return secret.test(attribute.type());
  }

  private void place(Change change) {
    Uuid uuid = change.uuid();
    if (uuid == null || namesAreTold) {
      return;
    }
    AncestorIndex places = run.places();
    if (change instanceof Deleted) {
      places.remove(uuid);
    } else if (change instanceof Renamed it) {
      NormalDn old = it.old();
      if (old != null) {
        places.leave(old);
      }
      places.told(uuid, it.dn());
    }
  }
}
