// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.ldap.csn.Position;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Counts what a feed says on its way to who hears it, and tells people what becomes of it: one line
 * for each change. Written by the thread of the feed (confined to it), read by any.
 */
public final class FeedStats implements FeedSink {
  private static final Logger LOG = LoggerFactory.getLogger(FeedStats.class);

  private String by;
  private final FeedSink next;
  private final Bounds bounds;
  private volatile FeedStatus status;

  /** Whether people know it as live; null before they have been told anything. */
  private @Nullable Boolean said;

  private @Nullable FeedGap saidGap;
  private boolean saidBlind;

  /**
   * Begins to count.
   *
   * @param by by what means the server tells of changes
   */
  public FeedStats(String context, String by, Bounds bounds, FeedSink next) {
    this.by = by;
    this.next = next;
    this.bounds = bounds;
    this.status = new FeedStatus(context, Phase.STOPPED, "", Position.NONE, "", 0, 0, 0);
  }

  /**
   * What people are told of how old answers may be. Immutable.
   *
   * @param vouched of what the feed vouches for
   * @param aged of all else
   */
  public record Bounds(Duration vouched, Duration aged) {}

  /** From now on the server tells of changes by other means. */
  public void by(String means) {
    by = means;
  }

  /** The feed as it is now. */
  public FeedStatus status() {
    return status;
  }

  /** A server is being tried. */
  public void connects(FeedServer server) {
    FeedStatus now = status;
    status =
        new FeedStatus(
            now.context(),
            now.phase() == Phase.STOPPED ? Phase.CONNECTING : now.phase(),
            server.name(),
            now.position(),
            now.why(),
            now.changes(),
            now.gaps(),
            now.connects() + 1);
  }

  /** The feed stands elsewhere now. */
  public void phase(Phase phase, String server, String why) {
    if (phase == Phase.LIVE) {
      say(
          true,
          "feed of {}: live from {}: what it vouches for is at most {} ms old",
          server + ", by " + by);
    } else if (phase == Phase.CONNECTING) {
      say(false, "feed of {}: none: {}; " + rest() + ages(bounds.aged()), why);
    }
    status = with(phase, server, status.position(), why); // who sees it finds the line in the log
  }

  private void say(boolean live, String text, String what) {
    if (said == null || said != live) {
      said = live;
      LOG.atLevel(live ? Level.INFO : Level.WARN)
          .log(text, status.context(), what, bounds.vouched().toMillis());
    }
  }

  /** A feed that was live vouches for answers until its last proof is as old as the bound. */
  private String rest() {
    boolean vouched = Boolean.TRUE.equals(said) && !bounds.vouched().isZero();
    return vouched ? "what it vouched for is given for {} ms at most, then " : "";
  }

  /** What people are told of answers that rest on no feed. */
  public static String ages(Duration most) {
    return most.isZero()
        ? "nothing is answered from memory"
        : "answers may be " + most.toMillis() + " ms old";
  }

  private FeedStatus with(Phase phase, String server, Position position, String why) {
    FeedStatus now = status;
    return new FeedStatus(
        now.context(), phase, server, position, why, now.changes(), now.gaps(), now.connects());
  }

  private void count(int changes, int gaps, @Nullable Position position) {
    FeedStatus now = status;
    Position before = gaps > 0 ? Position.NONE : now.position();
    status =
        new FeedStatus(
            now.context(),
            now.phase(),
            now.server(),
            position == null ? before : before.merge(position),
            now.why(),
            now.changes() + changes,
            now.gaps() + gaps,
            now.connects());
  }

  @Override
  public void change(Change change) {
    count(1, 0, change.receipt().cookie());
    if (change instanceof Change.Anything && !saidBlind) {
      saidBlind = true;
      LOG.warn(
          "feed of {}: something has changed that its account cannot see, or that its server has"
              + " got from another one, and whenever that happens nothing is kept: let the account"
              + " read everything",
          status.context());
    }
    next.change(change);
  }

  @Override
  public void covered(Position f) {
    count(0, 0, f);
    next.covered(f);
  }

  @Override
  public void gap(FeedGap why) {
    count(0, 1, null);
    if (saidGap != why) {
      saidGap = why;
      LOG.warn(
          "feed of {}: what has changed is not known, so nothing that rests on it is kept: {}",
          status.context(),
          remedy(why));
    }
    next.gap(why);
  }

  private static String remedy(FeedGap why) {
    return switch (why) {
      case REFRESH_REQUIRED -> "the server wants everything to be read anew";
      case NEW_HISTORY ->
          "the server knows less than it has told: was it restored, or killed? slapd writes down how"
              + " far it has counted when it is stopped, and at each syncprov-checkpoint";
      case TOO_MUCH_PRESENT, HISTORY_LOST ->
          "the server does not know any more what it has told; in OpenLDAP, give overlay syncprov"
              + " a syncprov-sessionlog, or a syncprov-sessionlog-source, which outlives a restart,"
              + " and an accesslog a longer logpurge; in 389-ds, a longer nsslapd-changelogmaxage";
      case SILENCE ->
          "the server was asked more than once, and has said nothing in time, as one that looks at"
              + " each entry for what has changed; in OpenLDAP, give the database that is searched"
              + " an index: index entryCSN,entryUUID eq";
      case FILLED_ANEW ->
          "the server was started again, or its entries were imported or restored as a whole, of"
              + " which no record tells";
      case RESTARTED ->
          "a server that may answer was started again, or nothing proves that it was not, and its"
              + " database may have been edited offline, of which no server tells; if databases are"
              + " never edited offline, say so by feed.restarts: trusted";
      case CLOCK_SET_BACK ->
          "the clock of a server that takes writes was set back, or nothing proves that it was not"
              + " while the feed was cut off: changes that are counted by such a clock are not told";
    };
  }

  /** The log says so before any answer can rest on the feed. */
  @Override
  public void live(Position f) {
    phase(Phase.LIVE, status.server(), "");
    saidGap = null;
    count(0, 0, f);
    next.live(f);
  }

  @Override
  public void lost(String why) {
    phase(Phase.CONNECTING, "", why);
    next.lost(why);
  }
}
