// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.view.MemoryFences;
import io.stoa.feed.event.Change;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.filter.Truth;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The latest changes of one naming context in their order, as the log against which fills are
 * validated.
 *
 * <p><b>Rule.</b> A change is appended to the ring before it invalidates views. A fill registers
 * its view before it reads the ring. Both put a full fence between their two steps, so that at
 * least one of them sees the other (store buffering, as in the algorithm of Dekker).
 *
 * <p><b>Invariants.</b>
 *
 * <ol>
 *   <li>One thread appends. Readers take no lock: records are linked from the newest to the oldest.
 *   <li>A record is published by a release store only. The writer puts {@link
 *       MemoryFences#fullFence} between the append and the search for the views that it concerns.
 *   <li>A record leaves when the bounds demand it. The ring then remembers up to which position and
 *       time it has forgotten, and refuses reads that reach further back.
 *   <li>A checkpoint marks the position up to which all earlier records are covered, so that a
 *       reader looks at no more than the records behind it.
 * </ol>
 *
 * <p><b>Without it</b> a fill that began before a change is stored after it, for good: the mutant
 * {@code NO_RING_SCAN}.
 *
 * <p>Threading: one writer; thread-safe for readers.
 */
public final class ChangeRing {
  /** Number of records between two checkpoints: a reader scans at most about this many in vain. */
  private static final int CHECKPOINT_EVERY = 64;

  /**
   * Number of cookies that must pass before a checkpoint, after a change without a known position:
   * 2. The next cookie may belong to a change before it.
   */
  private static final int COOKIES_TO_WAIT = 2;

  /** Divisor of the memory bound for images: they get one quarter. */
  private static final int IMAGE_DIVISOR = 4;

  private static final VarHandle HEAD;

  static {
    try {
      HEAD = MethodHandles.lookup().findVarHandle(ChangeRing.class, "head", RingRecord.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Bounds bounds;
  private final String context;
  private final Consumer<RingRecord> forgetListener;
  private final Map<String, String> origins = new HashMap<>();

  /** Written by {@link #HEAD} only. */
  @SuppressWarnings("UnusedVariable")
  private @Nullable RingRecord head;

  private volatile Position covered;
  private volatile Position floor;
  private volatile long forgottenNanos;
  private volatile long oldestNanos;
  private volatile boolean hasForgotten;
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicLong octets = new AtomicLong();
  private @Nullable RingRecord oldest;
  private @Nullable RingRecord oldestImage;
  private long imageOctets;

  /** The record that becomes a checkpoint when all up to it is covered; null if there is none. */
  private @Nullable RingRecord candidate;

  private Position upToCandidate = Position.NONE;
  private Position appended = Position.NONE;

  /** Positions of writes through Stoa on servers that the feed has not reported yet. */
  private Position unreportedWrites = Position.NONE;

  /** Positions of all changes on such servers, by whichever source. */
  private Position unreportedServers = Position.NONE;

  private int sinceCandidate;
  private int cookiesToWait;

  /**
   * Makes an empty ring.
   *
   * @param context the naming context whose changes it keeps, as positions name it
   * @param covered the position that all its changes follow
   * @param forgetListener receives each record that leaves the ring, on the writer's thread
   */
  public ChangeRing(
      Bounds bounds, String context, Position covered, Consumer<RingRecord> forgetListener) {
    this.bounds = bounds;
    this.context = context;
    this.covered = covered;
    this.floor = covered;
    this.forgetListener = forgetListener;
  }

  /**
   * Makes an empty ring that continues another one after a flush, without its records. A server is
   * not trusted until its position covers all changes of the former ring and reads show them. The
   * feed may have yet to report some of these as covered. Called on the former ring's writer
   * thread.
   */
  public ChangeRing(ChangeRing before, Consumer<RingRecord> forgetListener) {
    this(before.bounds, before.context, before.covered, forgetListener);
    RingRecord last = before.newest();
    this.floor = covered.merge(before.floor).merge(before.appended).merge(before.unreportedWrites);
    this.unreportedServers = before.unreportedServers;
    this.hasForgotten = last != null || before.hasForgotten;
    this.forgottenNanos = last == null ? before.forgottenNanos : last.appendedNanos();
  }

  /**
   * How much is kept. Immutable.
   *
   * @param minAge minimum age of a record that leaves, unless memory is short
   * @param minRecords number of records that stay at any age, unless memory is short
   * @param imageAge time for which the images of entries are kept, unless memory is short
   * @param octets memory bound in octets, a quarter of it for images
   */
  public record Bounds(Duration minAge, int minRecords, Duration imageAge, long octets) {}

  /**
   * A read whose result is compared with the changes. Immutable.
   *
   * @param query the query of the read
   * @param shown the entries in the result, and their names
   * @param absent true if the result says that the base does not exist
   * @param position the position of the server before the read was sent
   * @param settledNanos changes appended before this time are visible on a server that covers them
   */
  public record ReadSummary(
      Query query,
      Map<Uuid, NormalDn> shown,
      boolean absent,
      Position position,
      long settledNanos) {
    /** True if the result shows an entry below that name, or its base is or may be below it. */
    boolean reachesBelow(NormalDn name) {
      return query.base().isBelow(name)
          || query.base().isUncertain(name)
          || shown.values().stream().anyMatch(one -> one.mayBeBelow(name));
    }

    /** True if the result may show by that name another entry than the given one. */
    boolean showsAnother(Uuid uuid, NormalDn name) {
      return shown.entrySet().stream()
          .anyMatch(one -> !one.getKey().equals(uuid) && name.mayEqual(one.getValue()));
    }
  }

  /** Appends a change. The caller puts a full fence before it looks for views. Writer only. */
  public RingRecord append(Change change, long now) {
    RingRecord record = new RingRecord(change, newest(), now, origin(change.csn()));
    Position recordPosition = record.position();
    if (recordPosition != null && record.isOwn() && covered.covers(recordPosition)) {
      record.markBehind();
    }
    if (recordPosition != null
        && covered.marks().keySet().containsAll(recordPosition.marks().keySet())) {
      appended = appended.merge(recordPosition);
    } else {
      unreportedWrites =
          recordPosition == null || !record.isOwn()
              ? unreportedWrites
              : unreportedWrites.merge(recordPosition);
      unreportedServers =
          recordPosition == null ? unreportedServers : unreportedServers.merge(recordPosition);
      cookiesToWait = candidate == null ? COOKIES_TO_WAIT : cookiesToWait;
    }
    octets.addAndGet(record.octets());
    imageOctets += record.imageOctets;
    size.incrementAndGet();
    nominate(record);
    link(record);
    HEAD.setRelease(this, record);
    removeAged(now);
    return record;
  }

  private void nominate(RingRecord record) {
    sinceCandidate++;
    if (candidate == null && sinceCandidate >= CHECKPOINT_EVERY) {
      candidate = record;
      upToCandidate = appended;
      sinceCandidate = 0;
    }
  }

  private void link(RingRecord record) {
    RingRecord before = record.previous();
    if (before == null) {
      oldest = record;
      oldestNanos = record.appendedNanos();
    } else {
      before.next = record;
    }
    if (oldestImage == null) {
      oldestImage = record;
    }
  }

  private @Nullable String origin(@Nullable Csn csn) {
    return csn == null
        ? null
        : origins.computeIfAbsent(csn.origin(), server -> context + Position.CONTEXT_END + server);
  }

  /**
   * Marks all changes up to a position as reported. Writer only.
   *
   * <p>A change may have come from behind one that was not finished, or have been answered to a
   * client before the feed reports it. A reader may therefore stop only where all before is
   * covered.
   *
   * @return the position that is covered now
   */
  public Position covered(Position position) {
    Position merged = covered.merge(position);
    RingRecord marked = candidate;
    cookiesToWait = Math.max(0, cookiesToWait - 1);
    if (marked != null && cookiesToWait == 0 && merged.covers(upToCandidate)) {
      marked.checkpoint(merged);
      candidate = null;
    }
    covered = merged;
    return merged;
  }

  /**
   * Returns the position up to which changes are covered: a server at this position has all of
   * them.
   */
  public Position covered() {
    return covered;
  }

  /**
   * Returns the position of a server that has all changes ever appended, covered or not. Writer
   * only.
   */
  public Position reached() {
    return covered.merge(floor).merge(appended).merge(unreportedServers);
  }

  /** Removes records and images that are too old or exceed the memory bound. Writer only. */
  public void removeAged(long now) {
    while (oldestImage != null && isImageOver(oldestImage, now)) {
      imageOctets -= oldestImage.imageOctets;
      oldestImage.dropImage();
      oldestImage = oldestImage.next;
    }
    while (oldest != null && isOver(oldest, now)) {
      forget(oldest);
    }
  }

  private boolean isImageOver(RingRecord record, long now) {
    return now - record.appendedNanos() >= bounds.imageAge().toNanos()
        || imageOctets > bounds.octets() / IMAGE_DIVISOR;
  }

  private boolean isOver(RingRecord record, long now) {
    boolean old = now - record.appendedNanos() >= bounds.minAge().toNanos();
    return (old && size.get() > bounds.minRecords())
        || octets.get() > bounds.octets() - bounds.octets() / IMAGE_DIVISOR;
  }

  /**
   * Removes the oldest record. The floor is raised first, because a reader looks at the floor last.
   */
  private void forget(RingRecord record) {
    Position recordPosition = record.position();
    floor = floor.merge(recordPosition == null ? covered : recordPosition);
    forgottenNanos = record.appendedNanos();
    hasForgotten = true;
    RingRecord next = record.next;
    if (oldestImage == record) {
      oldestImage = next;
    }
    if (candidate == record) {
      candidate = null;
    }
    oldest = next;
    oldestNanos = next == null ? oldestNanos : next.appendedNanos();
    if (next == null) {
      HEAD.setRelease(this, null);
    } else {
      next.unlinkOlder();
    }
    imageOctets -= record.imageOctets;
    octets.addAndGet(-record.octets());
    size.decrementAndGet();
    forgetListener.accept(record);
  }

  private @Nullable RingRecord newest() {
    return (RingRecord) HEAD.getAcquire(this);
  }

  /** Returns the age in nanoseconds of the oldest record; 0 if there is none. */
  public long span(long now) {
    return size.get() == 0 ? 0 : now - oldestNanos;
  }

  /**
   * Returns the changes of the given entries, newest first. Writer only.
   *
   * @param maxChanges the maximum number of records returned
   */
  public List<RingRecord> changesOf(Set<Uuid> entries, int maxChanges) {
    List<RingRecord> about = new ArrayList<>();
    for (RingRecord at = newest(); at != null && about.size() < maxChanges; at = at.previous()) {
      Uuid uuid = at.uuid();
      if (uuid != null && entries.contains(uuid)) {
        about.add(at);
      }
    }
    return about;
  }

  /**
   * Returns the latest change of an entry with that CSN, or null if the ring does not hold it.
   * Writer only.
   */
  public @Nullable RingRecord change(Uuid entry, Csn csn) {
    RingRecord at = newest();
    while (at != null && !(entry.equals(at.uuid()) && csn.equals(at.change().csn()))) {
      at = at.previous();
    }
    return at;
  }

  /**
   * Returns the changes that a result may contradict. For an entry that it shows this is the newest
   * change, for another entry each change that may be the last. Changes that concern more than one
   * entry are all included. Records that leave the ring meanwhile are missing, so {@link
   * #isComplete} must be called afterwards.
   */
  public List<RingRecord> relevantTo(ReadSummary summary) {
    Map<Uuid, RingRecord> newest = new HashMap<>();
    Set<RingRecord> relevant = new LinkedHashSet<>();
    List<RingRecord> others = new ArrayList<>();
    for (RingRecord at = newest(); at != null && !isEnd(at, summary); at = at.previous()) {
      if (!at.isRefuted()) {
        Uuid uuid = at.uuid();
        boolean shown = uuid != null && summary.shown().containsKey(uuid);
        note(at, shown, newest);
        if (at.isBroadFor(summary)) {
          relevant.add(at);
        } else if (uuid != null && !shown) {
          others.add(at);
        }
      }
    }
    newest.values().stream()
        .filter(record -> summary.shown().containsKey(record.uuid()))
        .forEach(relevant::add);
    others.stream()
        .filter(record -> isOpen(record, newest.get(record.uuid())) && mayShow(record, summary))
        .forEach(relevant::add);
    return List.copyOf(relevant);
  }

  /**
   * Remembers the newest change of a shown entry, or the newest write through Stoa of another one:
   * only the latter has certainly taken effect.
   */
  private static void note(RingRecord record, boolean shown, Map<Uuid, RingRecord> newest) {
    Uuid uuid = record.uuid();
    if (uuid != null && (shown || record.isOwn())) {
      newest.merge(uuid, record, (earlier, other) -> other.isLaterThan(earlier) ? other : earlier);
    }
  }

  private static boolean isEnd(RingRecord record, ReadSummary summary) {
    Position checkpoint = record.checkpoint();
    return checkpoint != null
        && record.appendedNanos() - summary.settledNanos() < 0
        && summary.position().covers(checkpoint);
  }

  private static boolean isOpen(RingRecord record, @Nullable RingRecord sure) {
    return sure == null || !sure.isLaterThan(record);
  }

  /** True if the result may have to show the entry as the change has left it. */
  private static boolean mayShow(RingRecord record, ReadSummary summary) {
    Change change = record.change();
    Image image = change.image();
    if (image != null) {
      Truth now = summary.query().matches(image);
      return now == Truth.TRUE || now == Truth.UNKNOWN;
    }
    return !(change instanceof Change.Deleted) && mayHold(summary.query(), change);
  }

  private static boolean mayHold(Query query, Change change) {
    return change.dn() == null || query.inScope(change.dn()) != Truth.FALSE;
  }

  /**
   * True if the ring still holds every change that the server of a read may have lacked, or not
   * shown yet.
   */
  public boolean isComplete(ReadSummary summary) {
    return summary.position().covers(floor)
        && (!hasForgotten || forgottenNanos - summary.settledNanos() < 0);
  }

  /**
   * Returns the position that a server must have reached if its answers are to be compared with the
   * ring.
   */
  Position floor() {
    return floor;
  }

  /** True if the ring still keeps the image of an entry. Writer only. */
  public boolean hasImages() {
    return oldestImage != null;
  }

  /** Returns the number of records. */
  public int size() {
    return size.get();
  }

  /** Returns the estimated memory of the records in octets, without images. */
  public long octets() {
    return octets.get();
  }
}
