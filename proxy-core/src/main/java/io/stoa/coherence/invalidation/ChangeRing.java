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
 *   <li>A record is published by a release store only. The writer puts {@link MemoryFences#full}
 *       between the append and the search for the views that it concerns.
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
  /** Between two checkpoints, so that a reader looks at no more than these without need. */
  private static final int CHECKPOINT_EVERY = 64;

  /**
   * So many cookies after a change that says of itself not where it belongs: the next one may be of
   * a change before it.
   */
  private static final int COOKIES_TO_WAIT = 2;

  /** One in so many octets is for images. */
  private static final int IMAGE_SHARE = 4;

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
  private final Consumer<RingRecord> forgotten;
  private final Map<String, String> origins = new HashMap<>();

  /** Written by {@link #HEAD} only. */
  @SuppressWarnings("UnusedVariable")
  private @Nullable RingRecord head;

  private volatile Position covered;
  private volatile Position floor;
  private volatile long forgottenNanos;
  private volatile long oldestNanos;
  private volatile boolean forgetful;
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicLong octets = new AtomicLong();
  private @Nullable RingRecord oldest;
  private @Nullable RingRecord oldestImage;
  private long imageOctets;

  /** The record that becomes a checkpoint when all up to it is covered. */
  private @Nullable RingRecord candidate;

  private Position upToCandidate = Position.NONE;
  private Position appended = Position.NONE;

  /** What was done through Stoa at servers of which the feed has told nothing. */
  private Position unheard = Position.NONE;

  /** Whatever was done at such servers, whoever has told it. */
  private Position strange = Position.NONE;

  private int sinceCandidate;
  private int cookiesToWait;

  /**
   * Makes an empty one.
   *
   * @param context the naming context whose changes it keeps, as positions name it
   * @param from what had happened before the first of them
   * @param forgotten is given what has no room any more, on the writer's thread
   */
  public ChangeRing(Bounds bounds, String context, Position from, Consumer<RingRecord> forgotten) {
    this.bounds = bounds;
    this.context = context;
    this.covered = from;
    this.floor = from;
    this.forgotten = forgotten;
  }

  /**
   * Makes an empty one for what comes after another one. What that has kept is not known here: so
   * nobody is believed who may lack any of it, or not show it yet, though the feed may have to tell
   * that it is covered. On the thread that wrote to the other one.
   */
  public ChangeRing(ChangeRing before, Consumer<RingRecord> forgotten) {
    this(before.bounds, before.context, before.covered, forgotten);
    RingRecord last = before.newest();
    this.floor = covered.merge(before.floor).merge(before.appended).merge(before.unheard);
    this.strange = before.strange;
    this.forgetful = last != null || before.forgetful;
    this.forgottenNanos = last == null ? before.forgottenNanos : last.appendedNanos();
  }

  /**
   * How much is kept. Immutable.
   *
   * @param keep a record stays at least so long, unless there is no room for it
   * @param records so many stay however old they are, unless there is no room for them
   * @param images what entries look like is kept so long, unless there is no room for it
   * @param octets the room, a quarter of it for images
   */
  public record Bounds(Duration keep, int records, Duration images, long octets) {}

  /**
   * A read whose result is to be compared with the changes. Immutable.
   *
   * @param query what was asked
   * @param shown the entries in the result, and their names
   * @param absent whether the result says that the base is not there
   * @param position what the server had before the read was sent
   * @param settledNanos what was appended before then is to be seen where it is covered
   */
  public record Reading(
      Query query,
      Map<Uuid, NormalDn> shown,
      boolean absent,
      Position position,
      long settledNanos) {
    /** Whether it shows an entry below that name, or has looked there, or may. */
    boolean reachesBelow(NormalDn name) {
      return query.base().isBelow(name)
          || query.base().isUncertain(name)
          || shown.values().stream().anyMatch(one -> one.mayBeBelow(name));
    }

    /** Whether it shows by that name another entry than the one that has got it. */
    boolean showsAnother(Uuid uuid, NormalDn name) {
      return shown.entrySet().stream()
          .anyMatch(one -> !one.getKey().equals(uuid) && name.mayBe(one.getValue()));
    }
  }

  /** Adds a change; whoever looks for it next puts a fence in between. Writer only. */
  public RingRecord append(Change change, long now) {
    RingRecord record = new RingRecord(change, newest(), now, origin(change.csn()));
    Position own = record.position();
    if (own != null && record.isOwn() && covered.covers(own)) {
      record.countedBehind();
    }
    if (own != null && covered.marks().keySet().containsAll(own.marks().keySet())) {
      appended = appended.merge(own);
    } else {
      unheard = own == null || !record.isOwn() ? unheard : unheard.merge(own);
      strange = own == null ? strange : strange.merge(own);
      cookiesToWait = candidate == null ? COOKIES_TO_WAIT : cookiesToWait;
    }
    octets.addAndGet(record.octets());
    imageOctets += record.imageOctets;
    size.incrementAndGet();
    nominate(record);
    link(record);
    HEAD.setRelease(this, record);
    age(now);
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
   * All changes up to there have been said. Writer only.
   *
   * <p>A change may have come from behind one that was not finished, or have been answered to a
   * client before the feed says it: a reader may stop only where all before is covered.
   *
   * @return what is covered now
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

  /** How far the changes reach: what a server has that has seen all of them. */
  public Position covered() {
    return covered;
  }

  /** What a server has that has all that was ever appended, covered or not. Writer only. */
  public Position reached() {
    return covered.merge(floor).merge(appended).merge(strange);
  }

  /** Gives up what is too old or has no room. Writer only. */
  public void age(long now) {
    while (oldestImage != null && isImageOver(oldestImage, now)) {
      imageOctets -= oldestImage.imageOctets;
      oldestImage.shed();
      oldestImage = oldestImage.next;
    }
    while (oldest != null && isOver(oldest, now)) {
      forget(oldest);
    }
  }

  private boolean isImageOver(RingRecord record, long now) {
    return now - record.appendedNanos() >= bounds.images().toNanos()
        || imageOctets > bounds.octets() / IMAGE_SHARE;
  }

  private boolean isOver(RingRecord record, long now) {
    boolean old = now - record.appendedNanos() >= bounds.keep().toNanos();
    return (old && size.get() > bounds.records())
        || octets.get() > bounds.octets() - bounds.octets() / IMAGE_SHARE;
  }

  /** Who reads looks at the floor last, so it has to be raised first. */
  private void forget(RingRecord record) {
    Position own = record.position();
    floor = floor.merge(own == null ? covered : own);
    forgottenNanos = record.appendedNanos();
    forgetful = true;
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
      next.cut();
    }
    imageOctets -= record.imageOctets;
    octets.addAndGet(-record.octets());
    size.decrementAndGet();
    forgotten.accept(record);
  }

  private @Nullable RingRecord newest() {
    return (RingRecord) HEAD.getAcquire(this);
  }

  /** How long ago the oldest change that is kept was told. */
  public long span(long now) {
    return size.get() == 0 ? 0 : now - oldestNanos;
  }

  /**
   * What has happened to entries, the last first. Writer only.
   *
   * @param most no more than so many
   */
  public List<RingRecord> about(Set<Uuid> entries, int most) {
    List<RingRecord> about = new ArrayList<>();
    for (RingRecord at = newest(); at != null && about.size() < most; at = at.previous()) {
      Uuid uuid = at.uuid();
      if (uuid != null && entries.contains(uuid)) {
        about.add(at);
      }
    }
    return about;
  }

  /** The last change of an entry that has that number; null if it is not held. Writer only. */
  public @Nullable RingRecord of(Uuid entry, Csn csn) {
    RingRecord at = newest();
    while (at != null && !(entry.equals(at.uuid()) && csn.equals(at.change().csn()))) {
      at = at.previous();
    }
    return at;
  }

  /**
   * The changes that a result may contradict: of each entry that it shows the newest one, of the
   * others all that may have taken effect last, and all that concern more than one entry. What was
   * forgotten meanwhile is not among them, so {@link #keeps} is to be asked afterwards.
   */
  public List<RingRecord> relevantTo(Reading reading) {
    Map<Uuid, RingRecord> newest = new HashMap<>();
    Set<RingRecord> relevant = new LinkedHashSet<>();
    List<RingRecord> others = new ArrayList<>();
    for (RingRecord at = newest(); at != null && !isEnd(at, reading); at = at.previous()) {
      if (!at.isRefuted()) {
        Uuid uuid = at.uuid();
        boolean shown = uuid != null && reading.shown().containsKey(uuid);
        note(at, shown, newest);
        if (at.isBroadFor(reading)) {
          relevant.add(at);
        } else if (uuid != null && !shown) {
          others.add(at);
        }
      }
    }
    newest.values().stream()
        .filter(record -> reading.shown().containsKey(record.uuid()))
        .forEach(relevant::add);
    others.stream()
        .filter(record -> isOpen(record, newest.get(record.uuid())) && mayShow(record, reading))
        .forEach(relevant::add);
    return List.copyOf(relevant);
  }

  /** Of what is shown the last is looked for, of all else the last that has surely taken effect. */
  private static void note(RingRecord record, boolean shown, Map<Uuid, RingRecord> newest) {
    Uuid uuid = record.uuid();
    if (uuid != null && (shown || record.isOwn())) {
      newest.merge(uuid, record, (known, other) -> other.isLaterThan(known) ? other : known);
    }
  }

  private static boolean isEnd(RingRecord record, Reading reading) {
    Position checkpoint = record.checkpoint();
    return checkpoint != null
        && record.appendedNanos() - reading.settledNanos() < 0
        && reading.position().covers(checkpoint);
  }

  private static boolean isOpen(RingRecord record, @Nullable RingRecord sure) {
    return sure == null || !sure.isLaterThan(record);
  }

  /** By what it has made of its entry. */
  private static boolean mayShow(RingRecord record, Reading reading) {
    Change change = record.change();
    Image image = change.image();
    if (image != null) {
      Truth now = reading.query().matches(image);
      return now == Truth.TRUE || now == Truth.UNKNOWN;
    }
    return !(change instanceof Change.Deleted) && mayHold(reading.query(), change);
  }

  private static boolean mayHold(Query query, Change change) {
    return change.dn() == null || query.inScope(change.dn()) != Truth.FALSE;
  }

  /**
   * Whether nothing is missing here that the server of a read may have lacked, or not shown yet.
   */
  public boolean keeps(Reading reading) {
    return reading.position().covers(floor)
        && (!forgetful || forgottenNanos - reading.settledNanos() < 0);
  }

  /** What a server must have if what it answers is to be compared with what is kept. */
  public Position floor() {
    return floor;
  }

  /** Whether it is still kept what any entry looks like. Writer only. */
  public boolean hasImages() {
    return oldestImage != null;
  }

  /** How many changes are kept. */
  public int size() {
    return size.get();
  }

  /** Memory that they take without images, estimated. */
  public long octets() {
    return octets.get();
  }
}
