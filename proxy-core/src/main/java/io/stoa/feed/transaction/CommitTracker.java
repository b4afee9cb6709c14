// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.transaction;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.Uuid;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Tracks which of the changes that a feed has reported may still be in a transaction (RFC 5805).
 *
 * <p><b>Problem.</b> OpenLDAP reports an operation of a transaction, and counts it in contextCSN,
 * when the operation is done. The server shows it when the whole transaction is committed, after
 * any length of time.
 *
 * <p><b>Rule.</b> When the server shows an entry with a CSN, transactions with that CSN or a lower
 * one are over, committed or not. This holds for CSNs of the same server ID. The database
 * (back-mdb) has a single writer, and an operation gets its CSN while its transaction holds the
 * write lock. So everything that was committed before has a lower CSN.
 *
 * <p>Threading: one thread, except {@link #settled}, which is thread-safe.
 */
public final class CommitTracker {
  /**
   * Time without a newly counted change after which a server commits none of its open changes any
   * more: 10 s. Clocks of servers differ by less.
   */
  public static final Duration PATIENCE = Duration.ofSeconds(10);

  private final String context;
  private final InstantSource wallClock;
  private final Map<String, OpenChanges> byOrigin = new TreeMap<>();
  private final long begunNanos;
  private long validSinceNanos;
  private boolean interrupted;
  private volatile @Nullable Long openNanos;

  /**
   * Creates a tracker without changes.
   *
   * @param context the naming context, as named in positions
   * @param wallClock the wall clock, for comparison with the times in CSNs
   * @param now the present time, by the clock that dates appended changes. Until the server shows
   *     all that it had counted when the feed began, no later time is settled
   */
  public CommitTracker(String context, InstantSource wallClock, long now) {
    this.context = context;
    this.wallClock = wallClock;
    this.begunNanos = now;
    this.validSinceNanos = now;
  }

  /**
   * An entry that proves by its state, or by its absence, that a transaction is over.
   *
   * <p>Threading: immutable.
   *
   * @param csn the CSN of its last change
   * @param gone true if that change deleted the entry
   */
  public record Witness(Uuid uuid, Csn csn, boolean gone) {}

  /**
   * Called when the feed begins or resumes. Up to its position, the server may have counted changes
   * that it does not show yet and will never report.
   */
  public void onBegin(Position position, long now) {
    if (interrupted) {
      interrupted = false;
      byOrigin.values().forEach(origin -> origin.onResume(now));
    }
    csns(position).forEach(csn -> origin(csn).onBegin(csn, begunNanos, now));
    publish();
  }

  /** Returns the time when the feed's first position was known. */
  public long begunNanos() {
    return begunNanos;
  }

  /** Returns the last CSN of each server ID, except CSNs older than {@link #PATIENCE}. */
  private List<Csn> csns(Position position) {
    List<Csn> countedCsns = new ArrayList<>();
    for (String mark : position.marks().values()) {
      Csn csn = Csn.parse(mark.getBytes(StandardCharsets.ISO_8859_1));
      if (csn != null && csn.equals(csn.lastIn(position, context)) && !isLongAgo(csn)) {
        countedCsns.add(csn);
      }
    }
    return countedCsns;
  }

  private boolean isLongAgo(Csn csn) {
    return csn.seconds() < wallClock.instant().minus(PATIENCE).getEpochSecond();
  }

  /**
   * Called when a change has been applied. A change that the account cannot see is not shown to it
   * after its commit, either; such a change settles by time.
   *
   * @param wasThere true if the entry is known to have been shown before. Only then its absence
   *     proves anything
   */
  public void onChange(Change change, boolean wasThere, long now) {
    if (change.receipt().reporter() == Reporter.FEED && change.uuid() != null) {
      List<Csn> countedCsns = csns(change);
      boolean alone = countedCsns.size() == 1;
      for (Csn csn : countedCsns) {
        origin(csn).onChange(csn, alone ? witness(change, csn, wasThere) : null, now);
      }
      publish();
    }
  }

  /**
   * Returns the CSN of the change. If it carries none, returns the CSNs of its cookie, one being
   * that of the change.
   */
  private List<Csn> csns(Change change) {
    Csn csn = change.csn();
    Position cookie = change.receipt().cookie();
    if (csn != null) {
      return csn.isOrdered() ? List.of(csn) : List.of();
    }
    return cookie == null ? List.of() : csns(cookie);
  }

  private static @Nullable Witness witness(Change change, Csn csn, boolean wasThere) {
    Uuid uuid = change.uuid();
    boolean gone = change instanceof Deleted;
    return uuid == null || (gone && !wasThere) ? null : new Witness(uuid, csn, gone);
  }

  private OpenChanges origin(Csn csn) {
    return byOrigin.computeIfAbsent(csn.origin(), none -> new OpenChanges());
  }

  private void publish() {
    Long oldest = null;
    for (OpenChanges origin : byOrigin.values()) {
      Long since = origin.sinceNanos();
      oldest = oldest == null || (since != null && since - oldest < 0) ? since : oldest;
    }
    openNanos = oldest;
  }

  /** True if any change may still be in a transaction. */
  public boolean isOpen() {
    return openNanos != null;
  }

  /**
   * Returns the latest time, at most {@code then}, before which every change is settled. Reads sent
   * from now on show every change appended before that time, unless its transaction was aborted.
   * Thread-safe.
   */
  public long settled(long then) {
    Long open = openNanos;
    return open == null || open - then > 0 ? then : open;
  }

  /**
   * Returns the entries to read: for each server ID those that changed last.
   *
   * @param maxWitnesses the maximum number for each server ID
   */
  public List<Witness> witnesses(int maxWitnesses) {
    List<Witness> witnesses = new ArrayList<>();
    byOrigin.values().forEach(origin -> origin.witnesses(maxWitnesses).forEach(witnesses::add));
    return witnesses;
  }

  /**
   * Returns the CSNs that the server had counted when the feed began. An entry with such a CSN, or
   * a later one, proves them.
   */
  public List<Csn> marks() {
    return byOrigin.values().stream().flatMap(OpenChanges::marks).toList();
  }

  /**
   * Called when the server of the feed has shown an entry with this CSN.
   *
   * @param askedNanos the time when the search was sent
   */
  public void onShown(Csn state, long askedNanos) {
    OpenChanges origin = byOrigin.get(state.origin());
    if (origin != null && askedNanos - validSinceNanos >= 0) {
      origin.onShown(state);
      publish();
    }
  }

  /**
   * Called when the server of the feed does not show these entries any more.
   *
   * @param askedNanos the time when the search was sent
   */
  public void onGone(Collection<Witness> missing, long askedNanos) {
    missing.stream().filter(Witness::gone).forEach(one -> onShown(one.csn(), askedNanos));
  }

  /**
   * Settles the changes of servers that have counted nothing new for {@link #PATIENCE}, while the
   * feed is connected.
   */
  public void expire(long now) {
    if (!interrupted) {
      byOrigin.values().forEach(origin -> origin.expire(now));
      publish();
    }
  }

  /**
   * Called when the feed is cut off, until {@link #onBegin}. The feed may resume from another
   * server, so answers of this one prove nothing any more.
   */
  public void onDisconnect(long now) {
    interrupted = true;
    validSinceNanos = now;
    byOrigin.values().forEach(OpenChanges::onDisconnect);
  }
}
