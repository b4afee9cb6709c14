// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.transaction;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Source;
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
 * Which of the changes that a feed has told may still be in a transaction (RFC 5805). OpenLDAP
 * tells of an operation of one, and counts it in contextCSN, when that is done, and shows none of
 * them until all are; how long that takes nobody knows. But its database (back-mdb) is written by
 * one after the other, and such an operation is given its CSN when the transaction has its turn:
 * whatever was committed before has a lower one. So as soon as anything is shown with a CSN, every
 * transaction is over, for better or worse, to which the same server has given that one or a lower
 * one. Confined to one thread, but for {@link #settled}.
 */
public final class CommitTracker {
  /**
   * A server that has counted nothing for so long, after what it does not show, commits nothing of
   * that any more: ten seconds. Clocks are no further apart.
   */
  public static final Duration PATIENCE = Duration.ofSeconds(10);

  private final String context;
  private final InstantSource wall;
  private final Map<String, Origin> byOrigin = new TreeMap<>();
  private final long begunNanos;
  private long heededNanos;
  private boolean interrupted;
  private volatile @Nullable Long openNanos;

  /**
   * Nothing has been told.
   *
   * @param context the naming context, as positions name it
   * @param wall what servers count by, more or less
   * @param now by the clock by which it is told when changes were appended: before all is shown
   *     with which the feed begins, nothing settles that is asked for later
   */
  public CommitTracker(String context, InstantSource wall, long now) {
    this.context = context;
    this.wall = wall;
    this.begunNanos = now;
    this.heededNanos = now;
  }

  /**
   * An entry that shows by its state, or by not being there any more, that a transaction is over.
   * Immutable.
   *
   * @param csn of its last change
   * @param gone whether that has deleted it
   */
  public record Witness(Uuid uuid, Csn csn, boolean gone) {}

  /**
   * The feed begins, or goes on, where its server has counted changes that it may not show yet, and
   * may never tell.
   */
  public void begun(Position position, long now) {
    if (interrupted) {
      interrupted = false;
      byOrigin.values().forEach(origin -> origin.resumed(now));
    }
    counted(position).forEach(csn -> origin(csn).begun(csn, begunNanos, now));
    publish();
  }

  /** When it was known where the feed begins. */
  public long begunNanos() {
    return begunNanos;
  }

  /** What each server has counted last, but for those that have counted nothing for long. */
  private List<Csn> counted(Position position) {
    List<Csn> counted = new ArrayList<>();
    for (String mark : position.marks().values()) {
      Csn csn = Csn.parse(mark.getBytes(StandardCharsets.ISO_8859_1));
      if (csn != null && csn.equals(csn.lastIn(position, context)) && !isLongAgo(csn)) {
        counted.add(csn);
      }
    }
    return counted;
  }

  private boolean isLongAgo(Csn csn) {
    return csn.seconds() < wall.instant().minus(PATIENCE).getEpochSecond();
  }

  /**
   * A change has been applied. One that the account of the feed does not see is not shown to it
   * when it is over, either: it settles as time passes.
   *
   * @param wasThere whether its entry is known to have been shown before: only then it says
   *     anything that it is not shown any more
   */
  public void told(Change change, boolean wasThere, long now) {
    if (change.receipt().source() == Source.FEED && change.uuid() != null) {
      List<Csn> counted = counted(change);
      boolean alone = counted.size() == 1;
      for (Csn csn : counted) {
        origin(csn).told(csn, alone ? witness(change, csn, wasThere) : null, now);
      }
      publish();
    }
  }

  /** Its number, or no more than those of which one is. */
  private List<Csn> counted(Change change) {
    Csn csn = change.csn();
    Position cookie = change.receipt().cookie();
    if (csn != null) {
      return csn.isOrdered() ? List.of(csn) : List.of();
    }
    return cookie == null ? List.of() : counted(cookie);
  }

  private static @Nullable Witness witness(Change change, Csn csn, boolean wasThere) {
    Uuid uuid = change.uuid();
    boolean gone = change instanceof Deleted;
    return uuid == null || (gone && !wasThere) ? null : new Witness(uuid, csn, gone);
  }

  private Origin origin(Csn csn) {
    return byOrigin.computeIfAbsent(csn.origin(), none -> new Origin());
  }

  private void publish() {
    Long oldest = null;
    for (Origin origin : byOrigin.values()) {
      Long since = origin.sinceNanos();
      oldest = oldest == null || (since != null && since - oldest < 0) ? since : oldest;
    }
    openNanos = oldest;
  }

  /** Whether anything may still be in a transaction. */
  public boolean isOpen() {
    return openNanos != null;
  }

  /**
   * What was appended before then is shown, or never will be, by whoever is asked from now on: not
   * later than a time by which everything else has settled. Thread-safe.
   */
  public long settled(long then) {
    Long open = openNanos;
    return open == null || open - then > 0 ? then : open;
  }

  /**
   * Whom to ask for, those of each server that were told last.
   *
   * @param most so many of a server
   */
  public List<Witness> witnesses(int most) {
    List<Witness> witnesses = new ArrayList<>();
    byOrigin.values().forEach(origin -> origin.witnesses(most).forEach(witnesses::add));
    return witnesses;
  }

  /** What the server had counted when the feed began: anything that shows it, or more, will do. */
  public List<Csn> marks() {
    return byOrigin.values().stream().flatMap(Origin::marks).toList();
  }

  /** The server of the feed has shown an entry in that state to who asked then. */
  public void shown(Csn state, long askedNanos) {
    Origin origin = byOrigin.get(state.origin());
    if (origin != null && askedNanos - heededNanos >= 0) {
      origin.shown(state);
      publish();
    }
  }

  /** The server of the feed does not show them any more, when it was asked. */
  public void gone(Collection<Witness> missing, long askedNanos) {
    missing.stream().filter(Witness::gone).forEach(one -> shown(one.csn(), askedNanos));
  }

  /** Who has told nothing for long commits nothing of it any more, if the feed is heard. */
  public void expire(long now) {
    if (!interrupted) {
      byOrigin.values().forEach(origin -> origin.expire(now));
      publish();
    }
  }

  /**
   * The feed is cut off, until it goes on: perhaps from another server, so that what this one has
   * shown proves nothing.
   */
  public void interrupted(long now) {
    interrupted = true;
    heededNanos = now;
    byOrigin.values().forEach(Origin::interrupted);
  }
}
