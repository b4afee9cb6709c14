// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.invalidation.ChangeRing.ReadSummary;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.Change.Unknown;
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
 * A change in the ring. After publication a record only loses its image and its link to older ones,
 * gains a checkpoint, or is marked.
 *
 * <p>Threading: written by the ring's writer; thread-safe for readers.
 */
public final class RingRecord {
  /** Estimated octets for the objects and links of a record. */
  static final int OVERHEAD = 200;

  private final long seq;
  private final long appendedNanos;
  private final @Nullable String origin;
  private final @Nullable Position cookie;
  private volatile Change change;
  private volatile @Nullable RingRecord previous;

  /** Position that covers this record and all before it; set for some records only. */
  private volatile @Nullable Position checkpoint;

  private volatile boolean refuted;
  private volatile boolean ownWrite;

  /** Set before publication. */
  private boolean behind;

  /** Newer record. Writer only. */
  @Nullable RingRecord next;

  /** Writer only. */
  int imageOctets;

  /**
   * Makes a record.
   *
   * @param origin the name by which positions denote the server of the change; null if not known
   */
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

  /** Returns the estimated memory of an image, in octets. */
  public static int octets(Image image) {
    int octets = OVERHEAD;
    for (AttributeOctets attribute : image.entry().attributes()) {
      octets += attribute.encoded().length + OVERHEAD;
    }
    return octets;
  }

  /**
   * Drops the cookie: it is as large as all the rest, and the ring's covered position includes it.
   */
  private static Change withoutCookie(Change change, @Nullable Image image) {
    Receipt full = change.receipt();
    Receipt receipt = new Receipt(full.csn(), null, full.arrivedNanos(), full.reporter());
    if (change instanceof Modified it) {
      return new Modified(it.uuid(), it.dn(), image, receipt);
    }
    if (change instanceof Renamed it) {
      return new Renamed(it.uuid(), it.old(), it.dn(), it.leaf(), image, receipt);
    }
    if (change instanceof Deleted it) {
      return new Deleted(it.uuid(), it.dn(), receipt);
    }
    return new Unknown(change.dn(), receipt);
  }

  /** Returns the sequence number within the ring. */
  public long seq() {
    return seq;
  }

  /** Returns the change; its image may have been dropped. */
  public Change change() {
    return change;
  }

  /** Returns the entry; null if the change does not concern a single one. */
  public @Nullable Uuid uuid() {
    return change.uuid();
  }

  /** Returns the time of the append, by the clock of the ring's writer. */
  public long appendedNanos() {
    return appendedNanos;
  }

  /** Marks a reported change that never took effect, so that no answer is compared with it. */
  public void markRefuted() {
    refuted = true;
  }

  /** True if the change is known never to have taken effect. */
  public boolean isRefuted() {
    return refuted;
  }

  /**
   * Marks a write through Stoa that was applied after a later CSN was covered. The later CSN may
   * belong to an earlier change.
   */
  void markBehind() {
    behind = true;
  }

  /** True if a state with a later CSN may be an older one. */
  public boolean isBehind() {
    return behind;
  }

  /** True if a server at that position has the change. */
  public boolean isCoveredBy(Position position) {
    Csn csn = change.csn();
    if (origin != null && csn != null) {
      return position.reaches(origin, csn.text());
    }
    return cookie != null && position.covers(cookie);
  }

  /** Returns the position of the change; null if it is not known. */
  @Nullable Position position() {
    Csn csn = change.csn();
    return origin != null && csn != null ? Position.of(Map.of(origin, csn.text())) : cookie;
  }

  /** True if this change is later than another one of the same entry. */
  boolean isLaterThan(RingRecord other) {
    Csn ownCsn = change.csn();
    Csn csn = other.change.csn();
    int order = ownCsn == null || csn == null ? 0 : ownCsn.compareTo(csn);
    return order == 0 ? seq > other.seq : order > 0;
  }

  /** True if the change may affect an answer in another way than by the contents of its entry. */
  public boolean isBroadFor(ReadSummary summary) {
    Change now = change;
    Query query = summary.query();
    boolean absent = summary.absent();
    boolean belowToo = query.scope() != 0;
    if (now instanceof Unknown unknown) {
      return isAround(unknown.below(), query.base(), belowToo || absent);
    }
    if (now instanceof Deleted deleted) {
      NormalDn name = deleted.dn(); // the feed may not see where its subtree was moved
      return name != null && (query.base().isBelowOrEqual(name) || summary.reachesBelow(name));
    }
    Uuid uuid = now.uuid();
    NormalDn name = now.dn();
    if (uuid != null && name != null && isOwn() && showsFormerEntry(uuid, name, summary)) {
      return true;
    }
    if (absent && isAround(name, query.base(), true)) {
      return true;
    }
    return now instanceof Renamed renamed
        && (isAround(renamed.old(), query.base(), belowToo)
            || isAround(renamed.dn(), query.base(), belowToo))
        && isAffectedBy(renamed, summary);
  }

  /**
   * True if the change is a write through Stoa. Such a change has taken effect, while one that only
   * the feed has reported may be undone without notice. The feed may have yet to report it. A feed
   * reports the deletion of an entry before another entry takes its name.
   */
  boolean isOwn() {
    return ownWrite || change.receipt().reporter() == Reporter.OWN_WRITE;
  }

  /** Marks a change of the feed as a write through Stoa whose response came later. */
  public void markOwn() {
    ownWrite = true;
  }

  /**
   * True if the read shows another entry by that name, which must be gone, or an entry below it.
   */
  private boolean showsFormerEntry(Uuid uuid, NormalDn name, ReadSummary summary) {
    Image image = change.image();
    boolean mayBeLeaf = image == null || image.isLeaf();
    return summary.showsAnother(uuid, name) || (mayBeLeaf && summary.reachesBelow(name));
  }

  /**
   * True if a rename may affect the read. Entries below the new name when it was given may have
   * been moved since, and those at the old name are gone. A search based at the old name found the
   * entry.
   */
  private static boolean isAffectedBy(Renamed renamed, ReadSummary summary) {
    NormalDn old = renamed.old();
    return !renamed.leaf()
        || (old != null && (summary.query().base().mayEqual(old) || summary.reachesBelow(old)))
        || summary.reachesBelow(renamed.dn());
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

  /** Sets the position that covers this record and all before it. */
  void checkpoint(Position covered) {
    checkpoint = covered;
  }

  /** Unlinks all older records. */
  void unlinkOlder() {
    previous = null;
  }

  /** Drops the image of the entry. */
  void dropImage() {
    change = withoutCookie(change, null);
    imageOctets = 0;
  }

  /** Returns the estimated memory without the image, in octets. */
  int octets() {
    NormalDn dn = change.dn();
    return OVERHEAD + (dn == null ? 0 : 2 * dn.octets().length());
  }
}
