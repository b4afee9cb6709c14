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
 * Counts the events of a feed on their way to the sink, and logs one line for each change of its
 * condition.
 *
 * <p>Threading: written on the thread of the feed, read on any thread.
 */
public final class FeedStats implements FeedSink {
  private static final Logger LOG = LoggerFactory.getLogger(FeedStats.class);

  private String protocol;
  private final FeedSink next;
  private final Bounds bounds;
  private volatile FeedStatus status;

  /** True if the log says live, false if it says not live; null before the first line. */
  private @Nullable Boolean loggedLive;

  private @Nullable FeedGap loggedGap;
  private boolean loggedBlind;

  /**
   * Creates the statistics of a feed.
   *
   * @param protocol the protocol of the feed, as named in log lines
   */
  public FeedStats(String context, String protocol, Bounds bounds, FeedSink next) {
    this.protocol = protocol;
    this.next = next;
    this.bounds = bounds;
    this.status = new FeedStatus(context, Phase.STOPPED, "", Position.NONE, "", 0, 0, 0);
  }

  /**
   * Staleness bounds, as named in log lines.
   *
   * <p>Threading: immutable.
   *
   * @param maxStaleness the bound for results held by the feed
   * @param maxAge the bound for all other results
   */
  public record Bounds(Duration maxStaleness, Duration maxAge) {}

  /** Sets the protocol of the feed, as named in log lines. */
  public void setProtocol(String means) {
    protocol = means;
  }

  /** Returns the current status of the feed. */
  public FeedStatus status() {
    return status;
  }

  /** Counts an attempt to connect to a server. */
  public void countConnect(FeedServer server) {
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

  /** Sets the phase of the feed. */
  public void setPhase(Phase phase, String server, String why) {
    if (phase == Phase.LIVE) {
      logOnce(
          true,
          "feed of {}: LIVE from {}: results held by it are at most {} ms stale",
          server + ", by " + protocol);
    } else if (phase == Phase.CONNECTING) {
      logOnce(false, "feed of {}: DOWN: {}; " + holdText() + ageText(bounds.maxAge()), why);
    }
    // set after logging, so that the log explains it
    status = with(phase, server, status.position(), why);
  }

  private void logOnce(boolean live, String text, String details) {
    if (loggedLive == null || loggedLive != live) {
      loggedLive = live;
      LOG.atLevel(live ? Level.INFO : Level.WARN)
          .log(text, status.context(), details, bounds.maxStaleness().toMillis());
    }
  }

  /**
   * Describes what follows for a feed that was live: it holds answers until its last proof reaches
   * the staleness bound.
   */
  private String holdText() {
    boolean servesHeldResults = Boolean.TRUE.equals(loggedLive) && !bounds.maxStaleness().isZero();
    return servesHeldResults ? "results held by it are served for at most {} ms, then " : "";
  }

  /** Describes the bound of results that no feed holds, for administrators. */
  public static String ageText(Duration maxAge) {
    return maxAge.isZero()
        ? "nothing is served from the cache"
        : "cached results expire after " + maxAge.toMillis() + " ms (cache.maxAge)";
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
  public void onChange(Change change) {
    count(1, 0, change.receipt().cookie());
    if (change instanceof Change.Unknown && !loggedBlind) {
      loggedBlind = true;
      LOG.warn(
          "feed of {}: a change is invisible to its account, or came to its server "
              + "from another server. Each such change invalidates all results held by it: "
              + "let the account read everything",
          status.context());
    }
    next.onChange(change);
  }

  @Override
  public void onCovered(Position position) {
    count(0, 0, position);
    next.onCovered(position);
  }

  @Override
  public void onGap(FeedGap why) {
    count(0, 1, null);
    if (loggedGap != why) {
      loggedGap = why;
      LOG.warn(
          "feed of {}: GAP: changes may have been missed. Results held by it were "
              + "invalidated: {}",
          status.context(),
          remedy(why));
    }
    next.onGap(why);
  }

  private static String remedy(FeedGap why) {
    return switch (why) {
      case REFRESH_REQUIRED -> "the server requires a full refresh";
      case NEW_HISTORY ->
          "the server lacks changes it has reported: it was restored, or killed. "
              + "slapd stores its contextCSN only at shutdown and at each "
              + "syncprov-checkpoint";
      case TOO_MANY_PRESENT, HISTORY_LOST ->
          "the server's history does not reach back to the last cookie; in OpenLDAP, "
              + "give syncprov a syncprov-sessionlog, or a syncprov-sessionlog-source, "
              + "which outlives a restart, and an accesslog a longer logpurge; in 389-ds, a "
              + "longer nsslapd-changelogmaxage";
      case TIMEOUT ->
          "the server timed out several times on the changes since the last cookie. "
              + "It may scan all entries for them; in OpenLDAP, add to the searched "
              + "database an index: index entryCSN,entryUUID eq";
      case DATABASE_REPLACED ->
          "the server was restarted, or its database was imported or restored, which "
              + "the changelog does not report";
      case RESTARTED ->
          "a server was restarted, or there is no proof that it was not. Its database "
              + "may have been edited offline, which no server reports. If databases are "
              + "never edited offline, set feed.restarts: trusted";
      case CLOCK_SET_BACK ->
          "the clock of a writable server was set back, or there is no proof that it "
              + "was not while the feed was down. Changes with CSNs from such a clock are "
              + "not reported";
    };
  }

  /** Logs the phase before any result can be held by the feed. */
  @Override
  public void onLive(Position position) {
    setPhase(Phase.LIVE, status.server(), "");
    loggedGap = null;
    count(0, 0, position);
    next.onLive(position);
  }

  @Override
  public void onLost(String why) {
    setPhase(Phase.CONNECTING, "", why);
    next.onLost(why);
  }
}
