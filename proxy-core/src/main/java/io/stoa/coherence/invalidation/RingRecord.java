// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.invalidation.ChangeRing.Reading;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Anything;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Source;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A change in the ring. Written by the ring's writer only; thread-safe for those who read it: all
 * that ever changes is that it loses its image and what is before it.
 */
public final class RingRecord {
  /** Objects and links of a record, estimated. */
  static final int OVERHEAD = 200;

  private final long seq;
  private final long appendedNanos;
  private final @Nullable String origin;
  private final @Nullable Position cookie;
  private volatile Change change;
  private volatile @Nullable RingRecord previous;

  /** What covers this and all before it, at some of the records. */
  private volatile @Nullable Position checkpoint;

  private volatile boolean refuted;
  private volatile boolean own;

  /** Set before it is published. */
  private boolean behind;

  /** Of the writer only. */
  @Nullable RingRecord next;

  /** Of the writer only. */
  int imageOctets;

  /** Makes it; positions name origins of the change's server by that. */
  RingRecord(Change change, @Nullable RingRecord previous, long now, @Nullable String origin) {
    this.seq = previous == null ? 1 : previous.seq + 1;
    this.appendedNanos = now;
    this.origin = origin;
    this.cookie = origin == null ? change.receipt().cookie() : null;
    this.change = withoutCookie(change, change.image());
    this.previous = previous;
    Image image = change.image();
    this.imageOctets = image == null ? 0 : octets(image);
  }

  /** Memory that it takes, estimated. */
  public static int octets(Image image) {
    int octets = OVERHEAD;
    for (AttributeOctets attribute : image.entry().attributes()) {
      octets += attribute.encoded().length + OVERHEAD;
    }
    return octets;
  }

  /** A cookie is as large as all the rest, and is merged into what the ring covers anyway. */
  private static Change withoutCookie(Change change, @Nullable Image image) {
    Receipt full = change.receipt();
    Receipt receipt = new Receipt(full.csn(), null, full.arrivedNanos(), full.source());
    if (change instanceof Modified it) {
      return new Modified(it.uuid(), it.dn(), image, receipt);
    }
    if (change instanceof Renamed it) {
      return new Renamed(it.uuid(), it.old(), it.dn(), it.leaf(), image, receipt);
    }
    if (change instanceof Deleted it) {
      return new Deleted(it.uuid(), it.dn(), receipt);
    }
    return new Anything(change.dn(), receipt);
  }

  /** Counts the records of a ring. */
  public long seq() {
    return seq;
  }

  /** What has happened, perhaps without its image. */
  public Change change() {
    return change;
  }

  /** The entry; null if it is not about one. */
  public @Nullable Uuid uuid() {
    return change.uuid();
  }

  /** When it was appended, by the clock of the ring's writer. */
  public long appendedNanos() {
    return appendedNanos;
  }

  /** It has been told, but never took effect: no answer is to be compared with it any more. */
  public void refute() {
    refuted = true;
  }

  /** Whether it is known never to have taken effect. */
  public boolean isRefuted() {
    return refuted;
  }

  /**
   * What is counted later had been covered before it was done through Stoa: that may have been done
   * before, too.
   */
  void countedBehind() {
    behind = true;
  }

  /** Whether a state that is counted later may be an older one. */
  public boolean isBehind() {
    return behind;
  }

  /** Whether who is there has the change. */
  public boolean isCoveredBy(Position position) {
    Csn csn = change.csn();
    if (origin != null && csn != null) {
      return position.reaches(origin, csn.text());
    }
    return cookie != null && position.covers(cookie);
  }

  /** The change's own position; null if none is known. */
  @Nullable Position position() {
    Csn csn = change.csn();
    return origin != null && csn != null ? Position.of(Map.of(origin, csn.text())) : cookie;
  }

  /** Whether it is later than another one about the same entry. */
  boolean isLaterThan(RingRecord other) {
    Csn own = change.csn();
    Csn csn = other.change.csn();
    int order = own == null || csn == null ? 0 : own.compareTo(csn);
    return order == 0 ? seq > other.seq : order > 0;
  }

  /** Whether it may alter an answer in another way than by what its entry looks like. */
  public boolean isBroadFor(Reading reading) {
    Change now = change;
    Query query = reading.query();
    boolean absent = reading.absent();
    boolean belowToo = query.scope() != 0;
    if (now instanceof Anything anything) {
      return isAround(anything.below(), query.base(), belowToo || absent);
    }
    if (now instanceof Deleted deleted) {
      NormalDn name = deleted.dn(); // what was below it may have been moved out of sight with it
      return name != null && (query.base().isBelowOrEqual(name) || reading.reachesBelow(name));
    }
    Uuid uuid = now.uuid();
    NormalDn name = now.dn();
    if (uuid != null && name != null && isOwn() && hasLeft(uuid, name, reading)) {
      return true;
    }
    if (absent && isAround(name, query.base(), true)) {
      return true;
    }
    return now instanceof Renamed renamed
        && (isAround(renamed.old(), query.base(), belowToo)
            || isAround(renamed.dn(), query.base(), belowToo))
        && concerns(renamed, reading);
  }

  /**
   * Whether it was done through Stoa: then it has taken effect, where what a feed alone has told
   * may be undone without a word; and the feed may have yet to tell it. A feed tells that an entry
   * is gone before it tells of another by its name.
   */
  boolean isOwn() {
    return own || change.receipt().source() == Source.OWN_WRITE;
  }

  /** Who has done it through Stoa knows of it now, too, though the feed was quicker. */
  public void own() {
    own = true;
  }

  /** The one is gone, of which the feed has not told yet, or the other; or what was below it. */
  private boolean hasLeft(Uuid uuid, NormalDn name, Reading reading) {
    Image image = change.image();
    boolean mayBeLeaf = image == null || image.isLeaf();
    return reading.showsAnother(uuid, name) || (mayBeLeaf && reading.reachesBelow(name));
  }

  /**
   * What was below it when it got its name may be elsewhere since, and what was there before it has
   * left; who looked there itself by its old name found it.
   */
  private static boolean concerns(Renamed renamed, Reading reading) {
    NormalDn old = renamed.old();
    return !renamed.leaf()
        || (old != null && (reading.query().base().mayBe(old) || reading.reachesBelow(old)))
        || reading.reachesBelow(renamed.dn());
  }

  private static boolean isAround(@Nullable NormalDn dn, NormalDn base, boolean belowToo) {
    return dn == null || base.isBelowOrEqual(dn) || (belowToo && dn.isBelowOrEqual(base));
  }

  @Nullable RingRecord previous() {
    return previous;
  }

  @Nullable Position checkpoint() {
    return checkpoint;
  }

  /** All up to here is covered there. */
  void checkpoint(Position covered) {
    checkpoint = covered;
  }

  /** Nothing older is to be reached from here any more. */
  void cut() {
    previous = null;
  }

  /** Forgets what the entry looks like. */
  void shed() {
    change = withoutCookie(change, null);
    imageOctets = 0;
  }

  /** Memory without the image, estimated. */
  int octets() {
    NormalDn dn = change.dn();
    return OVERHEAD + (dn == null ? 0 : 2 * dn.octets().length());
  }
}
