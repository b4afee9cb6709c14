// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.view.MemoryFences;
import io.stoa.coherence.view.View;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.Change.Unknown;
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
  private static final long WARNING_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  /**
   * Minimum difference in seconds that is logged as a clock set back: changes that are only
   * reported out of order are closer together.
   */
  private static final long MIN_REGRESSION_SECONDS = 1;

  private final FeedEpoch epoch;
  private final Predicate<byte[]> secret;
  private final boolean reportsNames;
  private final String context;

  /** Time of the last warning about a clock that was set back; null before the first. */
  private @Nullable Long warnedNanos;

  ChangeApplier(FeedEpoch epoch, DomainConfig config) {
    this.epoch = epoch;
    this.secret = config.isSecret();
    this.reportsNames = config.kind().reportsRenames();
    this.context = config.context();
  }

  /**
   * Applies a change.
   *
   * @param resumed true if the feed resumes after an interruption and may report changes once more
   * @param feedServer the server from which the feed comes; null if not known
   * @return false if the change had been applied before
   */
  boolean apply(Change change, boolean resumed, @Nullable Object feedServer, long now) {
    LastCsn last = epoch.lastCsns();
    if (last.isOvertaken(change)) {
      overtakenOwnWrite(change);
      return false;
    }
    boolean regression = isRegression(change, resumed);
    NormalDn old = formerName(change);
    Change namedChange = reportsNames ? change : withFormerName(change, old, resumed);
    if (!regression && last.has(change)) {
      if (!resumed) {
        reportedAgain(namedChange, old, feedServer, now);
      }
      invalidateFormerName(namedChange, now);
      confirmOwnWrite(change, now);
      return false;
    }
    if (regression) {
      applyRegression(namedChange, old, feedServer, now);
      return true;
    }
    boolean late = last.hasNewer(change);
    RingRecord record = epoch.ring().append(withoutSecrets(namedChange), now);
    trackCommit(change, now);
    if (!late) {
      last.note(record, isWhole(change));
      endRegression(change);
    }
    MemoryFences.fullFence();
    if (late) {
      epoch.invalidator().applyLate(namedChange, old);
    } else {
      epoch.updateVerifier().verify(record, effects(record, namedChange, old));
      updateNames(namedChange);
    }
    return true;
  }

  /**
   * True if the server of the change assigns CSNs from an earlier time than before, as after its
   * clock was set back.
   *
   * <ol>
   *   <li>A feed reports nothing new at or below its covered position. The exception is {@code
   *       resumed}, when it repeats all that is later than the oldest mark of its cookie.
   *   <li>A server takes no change from another server that is older than its own state of the
   *       entry. If it goes back behind a CSN of another server, it took the write itself, and its
   *       clock is behind.
   *   <li>A write through Stoa proves neither alone, since another client may have changed the
   *       entry since it was read.
   * </ol>
   */
  private boolean isRegression(Change change, boolean resumed) {
    Csn csn = change.csn();
    RingRecord last = change.uuid() == null ? null : epoch.lastCsns().of(change.uuid());
    if (csn == null || !csn.isOrdered() || (last != null && csn.equals(last.change().csn()))) {
      return false;
    }
    if (change.receipt().reporter() == Reporter.OWN_WRITE) {
      return epoch.lastCsns().hasNewerOfServer(change, csn.origin())
          || (isCovered(csn) && epoch.lastCsns().hasNewer(change));
    }
    return !resumed
        && (isCovered(csn) || epoch.lastCsns().hasNewerOfOtherServer(change, csn.origin()));
  }

  private List<View> effects(RingRecord record, Change namedChange, @Nullable NormalDn old) {
    return record.isBehind()
        ? epoch.invalidator().applyBehind(namedChange, old)
        : epoch.invalidator().apply(namedChange, old);
  }

  /**
   * Handles a write through Stoa that the feed reports after changes with later CSNs. The write was
   * only behind in the order of the feed if it was applied as one before.
   */
  private void reportedAgain(
      Change change, @Nullable NormalDn old, @Nullable Object server, long now) {
    RingRecord last = change.uuid() == null ? null : epoch.lastCsns().of(change.uuid());
    Csn csn = change.csn();
    boolean isFromFeed = change.receipt().reporter() == Reporter.FEED;
    if (isFromFeed && csn != null && isCovered(csn) && isOwn(last, csn)) {
      warnRegression(change, now);
      addRegression(change, old, null, server, now);
      MemoryFences.fullFence();
      epoch.invalidator().applyAgain(change, old);
    }
  }

  /**
   * Invalidates views by a former name of an entry that the feed reports only now, though a newer
   * state is already known. Reads under that name can be compared with the rename only from now on.
   */
  private void invalidateFormerName(Change namedChange, long now) {
    boolean isFromFeed = namedChange.receipt().reporter() == Reporter.FEED;
    if (isFromFeed && namedChange instanceof Renamed it && it.old() != null) {
      epoch.ring().append(withoutSecrets(it), now);
      MemoryFences.fullFence();
      epoch.invalidator().subtrees().onRenamed(it);
    }
  }

  /**
   * Applies a write through Stoa that the feed has reported before. The write has the old and the
   * new name, the report only the new one. So the feed may have lost the old name of the entry, or
   * of another entry with that name.
   */
  private void confirmOwnWrite(Change change, long now) {
    RingRecord last = change.uuid() == null ? null : epoch.lastCsns().of(change.uuid());
    if (change.receipt().reporter() != Reporter.OWN_WRITE || last == null) {
      return;
    }
    last.markOwn();
    if (change instanceof Renamed it) {
      epoch.ring().append(withoutSecrets(it), now); // the feed lacks the former name
      MemoryFences.fullFence();
      epoch.invalidator().applyAgain(it, it.old());
    } else {
      invalidateOthersNamed(change);
    }
  }

  /**
   * Handles a write through Stoa if the feed has already reported it and later changes of the
   * entry.
   */
  private void overtakenOwnWrite(Change change) {
    Uuid uuid = change.uuid();
    Csn csn = change.csn();
    RingRecord reported = uuid == null || csn == null ? null : epoch.ring().change(uuid, csn);
    if (reported != null) {
      reported.markOwn();
    }
    invalidateOthersNamed(change);
  }

  private void invalidateOthersNamed(Change change) {
    MemoryFences.fullFence();
    epoch.invalidator().onNameTaken(change);
  }

  private static boolean isOwn(@Nullable RingRecord record, Csn csn) {
    return record != null
        && record.change().receipt().reporter() == Reporter.OWN_WRITE
        && csn.equals(record.change().csn());
  }

  /**
   * Registers the change with the commit tracker. The absence of an entry proves the commit of its
   * deletion only if the entry is known to have been there.
   */
  private void trackCommit(Change change, long now) {
    RingRecord last = change.uuid() == null ? null : epoch.lastCsns().of(change.uuid());
    boolean wasThere =
        last == null
            ? epoch.isKnownToHaveExisted(now)
            : last.appendedNanos() - epoch.commits().settled(now) < 0;
    epoch.commits().onChange(change, wasThere, now);
    epoch.commitWatch().watch();
  }

  /**
   * Ends the clock regression of an entry whose new CSN is later than all covered ones: a server
   * whose position covers this CSN has the entry's present state.
   */
  private void endRegression(Change change) {
    Csn csn = change.csn();
    if (csn != null && lastCovered(csn) != null && !isCovered(csn)) {
      epoch.regressions().onNewCsn(change);
    }
  }

  private boolean isCovered(Csn csn) {
    Csn latest = lastCovered(csn);
    return latest != null && latest.compareTo(csn) >= 0;
  }

  /** Returns the last CSN that the feed has covered of the same server; null if there is none. */
  private @Nullable Csn lastCovered(Csn csn) {
    return csn.lastIn(epoch.ring().covered(), context);
  }

  /**
   * Handles a change with a CSN from before the server's clock was set back. The order of two
   * states cannot be derived from their CSNs, so all views that show the entry are invalidated. A
   * change that the feed reports is the later one: it refutes the last record of the entry. A write
   * through Stoa has yet to be reported by the feed.
   */
  private void applyRegression(
      Change change, @Nullable NormalDn old, @Nullable Object server, long now) {
    boolean isFromFeed = change.receipt().reporter() == Reporter.FEED;
    addRegression(change, old, isFromFeed ? null : latest(change), server, now);
    if (isFromFeed) {
      warnRegression(change, now);
      epoch.lastCsns().refute(change);
      trackCommit(change, now);
      epoch.lastCsns().note(epoch.ring().append(withoutSecrets(change), now), isWhole(change));
    }
    MemoryFences.fullFence();
    epoch.invalidator().applyRegression(change, old);
    if (isFromFeed) {
      updateNames(change);
    }
  }

  /**
   * Returns the later CSN of the same server that makes a write through Stoa look as if the clock
   * had been set back.
   */
  private @Nullable Csn latest(Change change) {
    Csn csn = change.csn();
    Csn covered = csn == null ? null : lastCovered(csn);
    RingRecord last = change.uuid() == null ? null : epoch.lastCsns().of(change.uuid());
    Csn lastCsn = last == null ? null : last.change().csn();
    if (csn == null || lastCsn == null || !lastCsn.origin().equals(csn.origin())) {
      return covered;
    }
    return covered == null || lastCsn.compareTo(covered) > 0 ? lastCsn : covered;
  }

  private void addRegression(
      Change change,
      @Nullable NormalDn old,
      @Nullable Csn until,
      @Nullable Object server,
      long now) {
    Unknown unknown = new Unknown(singleName(change, old), change.receipt());
    epoch.regressions().add(epoch.ring().append(unknown, now), change, until, server);
  }

  private void warnRegression(Change change, long now) {
    Long last = warnedNanos;
    Csn csn = change.csn();
    Csn latest = csn == null ? null : lastCovered(csn);
    if (csn != null
        && latest != null
        && (last == null || now - last > WARNING_INTERVAL_NANOS)
        && csn.seconds() < latest.seconds() - MIN_REGRESSION_SECONDS) {
      warnedNanos = now;
      LOG.warn(
          "feed of {}: server ID {} assigned CSN {} after {}: its clock may have been set "
              + "back. Until its CSNs exceed the later one, CSNs do not show which state is "
              + "newer, so affected results are invalidated. Check the time synchronization "
              + "of the server.",
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
  private static @Nullable NormalDn singleName(Change change, @Nullable NormalDn old) {
    boolean moved = change instanceof Renamed || (old != null && !old.equals(change.dn()));
    return moved ? null : change.dn();
  }

  private static boolean isWhole(Change change) {
    Image image = change.image();
    return change instanceof Deleted || (image != null && image.isComplete());
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
  private @Nullable NormalDn formerName(Change change) {
    if (!reportsNames) {
      Uuid uuid = change.uuid();
      return uuid == null ? null : knownFormerName(uuid, change);
    }
    if (change instanceof Renamed it) {
      return it.old();
    }
    return change.receipt().reporter() == Reporter.FEED ? change.dn() : null;
  }

  /**
   * Returns the former name. A deleted entry had the last name that was read, in whichever order
   * the states were made.
   */
  private @Nullable NormalDn knownFormerName(Uuid uuid, Change change) {
    boolean isDeleted = change instanceof Deleted;
    return isDeleted
        ? epoch.ancestors().lastName(uuid)
        : epoch.ancestors().nameBefore(uuid, change.csn());
  }

  /**
   * Adds the known former name to a change. An entry that may have entries below it, and is not in
   * the index, may have had any other name before: its change becomes a rename.
   */
  private Change withFormerName(Change change, @Nullable NormalDn old, boolean resumed) {
    if (change instanceof Deleted it && it.dn() == null) {
      return new Deleted(it.uuid(), old, it.receipt());
    }
    if (change instanceof Renamed it && it.old() == null) {
      return new Renamed(it.uuid(), old, it.dn(), it.leaf(), it.image(), it.receipt());
    }
    if (change instanceof Modified it
        && (isRenamed(it, old) || mayHaveHadOtherName(it, old, resumed))) {
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
  private boolean mayHaveHadOtherName(Modified change, @Nullable NormalDn old, boolean resumed) {
    Position cookie = change.receipt().cookie();
    Csn csn = change.csn();
    boolean early = cookie != null && csn != null && !csn.equals(csn.lastIn(cookie, context));
    return old != null && (resumed || early);
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

  private void updateNames(Change change) {
    Uuid uuid = change.uuid();
    if (uuid == null || reportsNames) {
      return;
    }
    AncestorIndex ancestors = epoch.ancestors();
    if (change instanceof Deleted) {
      ancestors.remove(uuid);
    } else if (change instanceof Renamed it) {
      NormalDn old = it.old();
      if (old != null) {
        ancestors.removeSubtree(old);
      }
      ancestors.setReported(uuid, it.dn());
    }
  }
}
