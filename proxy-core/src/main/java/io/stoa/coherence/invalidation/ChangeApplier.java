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
 * Applies changes one after the other. Each change is appended to the ring first, then takes effect
 * on the views. Its position is published last, by the caller.
 *
 * <p>Threading: confined to the domain's thread.
 */
final class ChangeApplier {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeApplier.class);

  /** Minimum time between two warnings about a clock that was set back: one minute. */
  private static final long SAID_NANOS = TimeUnit.MINUTES.toNanos(1);

  /**
   * Minimum difference in seconds that is logged as a clock set back: changes that are only
   * reported out of order are closer together.
   */
  private static final long CLEARLY_SECONDS = 1;

  private final FeedEpoch run;
  private final Predicate<byte[]> secret;
  private final boolean namesAreTold;
  private final String context;

  /** Time of the last warning about a clock that was set back; null before the first. */
  private @Nullable Long saidNanos;

  ChangeApplier(FeedEpoch run, RealmConfig config) {
    this.run = run;
    this.secret = config.secret();
    this.namesAreTold = config.kind().tellsNames();
    this.context = config.context();
  }

  /**
   * Applies a change.
   *
   * @param anew true if the feed resumes after an interruption and may report changes once more
   * @param home the server from which the feed comes; null if not known
   * @return false if the change had been applied before
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
   * True if the server of the change assigns CSNs from an earlier time than before, as after its
   * clock was set back.
   *
   * <ol>
   *   <li>A feed reports nothing new at or below its covered position. The exception is {@code
   *       anew}, when it repeats all that is later than the oldest mark of its cookie.
   *   <li>A server takes no change from another server that is older than its own state of the
   *       entry. If it goes back behind a CSN of another server, it took the write itself, and its
   *       clock is behind.
   *   <li>A write through Stoa proves neither alone, since another client may have changed the
   *       entry since it was read.
   * </ol>
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
   * Handles a write through Stoa that the feed reports after changes with later CSNs. The write was
   * only behind in the order of the feed if it was applied as one before.
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
   * Invalidates views by a former name of an entry that the feed reports only now, though a newer
   * state is already known. Reads under that name can be compared with the rename only from now on.
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
   * Applies a write through Stoa that the feed has reported before. The write names the old and the
   * new name. The feed does not, and may have lost the name by which the entry, or another one of
   * that name, was known.
   */
  private void knownAgain(Change change, long now) {
    RingRecord last = change.uuid() == null ? null : run.last().of(change.uuid());
    if (change.receipt().source() != Source.OWN_WRITE || last == null) {
      return;
    }
    last.own();
    if (change instanceof Renamed it) {
      run.ring().append(withoutSecrets(it), now); // the feed lacks the former name
      MemoryFences.full();
      run.effects().applyAgain(it, it.old());
    } else {
      tookAgain(change);
    }
  }

  /**
   * Handles a write through Stoa if the feed has already reported it and later changes of the
   * entry.
   */
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

  /**
   * Registers the change with the commit tracker. The absence of an entry proves the commit of its
   * deletion only if the entry is known to have been there.
   */
  private void watch(Change change, long now) {
    RingRecord last = change.uuid() == null ? null : run.last().of(change.uuid());
    boolean wasThere =
        last == null ? run.wasThere(now) : last.appendedNanos() - run.commits().settled(now) < 0;
    run.commits().told(change, wasThere, now);
    run.watch().watch();
  }

  /**
   * Ends the clock regression of an entry whose new CSN is later than all covered ones: a server
   * whose position covers this CSN has the entry's present state.
   */
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

  /** Returns the last CSN that the feed has covered of the same server; null if there is none. */
  private @Nullable Csn told(Csn csn) {
    return csn.lastIn(run.ring().covered(), context);
  }

  /**
   * Handles a change with a CSN from before the server's clock was set back. The order of two
   * states cannot be derived from their CSNs, so all views that show the entry are invalidated. A
   * change that the feed reports is the later one: it refutes the last record of the entry. A write
   * through Stoa has yet to be reported by the feed.
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

  /**
   * Returns the later CSN of the same server that makes a write through Stoa look as if the clock
   * had been set back.
   */
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

  /**
   * Returns the name of the entry before and after the change; null if these differ or are not
   * known.
   */
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

  /** Returns the name before the change; null if it is not known or the entry did not exist. */
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

  /**
   * Returns the former name. A deleted entry had the last name that was read, in whichever order
   * the states were made.
   */
  private @Nullable NormalDn former(Uuid uuid, Change change) {
    boolean gone = change instanceof Deleted;
    return gone ? run.places().last(uuid) : run.places().before(uuid, change.csn());
  }

  /**
   * Adds the known former name to a change. An entry that may have entries below it, and is not in
   * the index, may have had any other name before: its change becomes a rename.
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
   * True if the entry may have had another name for a while that the feed does not report. A feed
   * that resumes reports only the last state. A feed that is behind reports the present state with
   * the cookie of an earlier change.
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

  /**
   * Returns the change without its image if that holds an attribute that must not be kept. The ring
   * then answers no question about the entry's contents.
   */
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
