// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.coherence.invalidation.DomainConfig;
import io.stoa.feed.event.Change;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.sim.check.Read;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a feed has told before it was so, or though it was undone. Who is given whatever the account
 * of the feed is given may be shown that: until it is so, or until the account has looked, which it
 * does when that has settled. Nobody else ever may. Thread-confined.
 */
final class SimNotices {
  /** What has settled within such a time is asked for together. */
  private static final long BATCH_WINDOW = 20 * Faults.MILLIS;

  /** For so long it is waited for what an entry shows already to be told. */
  private static final long REPORT_DELAY = 100 * Faults.MILLIS;

  /** What one loop gives another takes no longer, if that does not stand still. */
  private static final long HOP_DELAY = 2 * Faults.MILLIS;

  private static final long SETTLE = DomainConfig.SETTLE.toNanos();

  private final SimTimeline timeline;
  private final List<Notice> notices = new ArrayList<>();
  private final Map<ReportedChange, Long> reportedAt = new HashMap<>();
  private final List<FeedRead> feedReads = new ArrayList<>();
  private @Nullable VirtualTime time;
  private @Nullable Faults faults;

  SimNotices(SimTimeline timeline) {
    this.timeline = timeline;
  }

  /** A change of which a feed tells. Immutable. */
  private record ReportedChange(String uuid, String csn) {}

  /**
   * Such a change that is not so, or not yet. Immutable.
   *
   * @param base the state upon which it was made
   */
  private record Notice(SimCommit commit, int base) {
    ReportedChange reported() {
      return new ReportedChange(commit.uuid(), SimCsn.text(commit.csn()));
    }
  }

  /** The account of the feed looked at entries. Immutable. */
  private record FeedRead(String filter, long asked, long answered) {}

  /** The feed may be heard from now on. */
  void start(VirtualTime clock, Faults what) {
    time = clock;
    faults = what;
  }

  /** It is told, and was not done. */
  void onAnnounced(SimCommit commit) {
    notices.add(new Notice(commit, timeline.newest()));
  }

  /** Stoa has heard of a change. What comes without a CSN changes nothing in place. */
  void onReported(Change change) {
    Uuid uuid = change.uuid();
    Csn csn = change.csn();
    if (time != null && uuid != null && csn != null) {
      reportedAt.putIfAbsent(new ReportedChange(uuid.toString(), csn.text()), time.now());
    }
  }

  /** The account of the feed is given an answer, or none. */
  void onFeedRead(String filter, long asked) {
    if (time != null) {
      feedReads.add(new FeedRead(filter, asked, time.now()));
    }
  }

  /**
   * States by which an entry may be explained that somebody was shown from memory.
   *
   * @param oldest those that show less than that may not
   */
  List<Integer> explainingStates(Read read, String dn, int oldest) {
    Faults present = faults;
    if (present == null || !present.isUniform() || !read.session().equals(SimNames.ADMIN)) {
      return List.of();
    }
    return notices.stream()
        .filter(one -> one.commit().change().concerns(dn) || isNamed(one, dn, oldest))
        .filter(one -> isNewer(one, dn, oldest, read) && isShown(one, read, present))
        .map(one -> one.commit().state())
        .toList();
  }

  /** Whether its entry has that name now, since what is above it has another one. */
  private boolean isNamed(Notice notice, String dn, int oldest) {
    Entry now = timeline.tree(oldest).get(dn);
    return now != null && notice.commit().uuid().equals(now.getAttributeValue(SimTree.UUID));
  }

  /** Whether it was made upon all that an entry must show, but for where it is. */
  private boolean isNewer(Notice notice, String dn, int oldest, Read read) {
    for (int state = notice.base() + 1; state <= oldest; state++) {
      boolean own = !notice.commit().undone() && state <= notice.commit().state();
      boolean follows = read.derives() && timeline.changed(state).contains(dn);
      if (!own && (follows || timeline.isStamped(state, notice.commit().uuid()))) {
        return false;
      }
    }
    return true;
  }

  private boolean isShown(Notice notice, Read read, Faults present) {
    Long since = reportedAt.get(notice.reported());
    if (since == null || since > read.completed()) {
      return false;
    }
    return read.decided()
        <= (notice.commit().undone()
            ? checkedBy(notice.commit().uuid(), since, present)
            : timeline.since(notice.commit().state()));
  }

  /** When the account of the feed has looked at it, at the latest. */
  private long checkedBy(String uuid, long since, Faults present) {
    long applied = resumesAt(since + HOP_DELAY, present);
    long due = resumesAt(applied + SETTLE + BATCH_WINDOW + HOP_DELAY, present);
    long last = due;
    for (FeedRead look : feedReads) {
      boolean meant = look.filter().contains(uuid);
      if (meant && look.asked() >= since + SETTLE && look.asked() <= due) {
        last =
            Math.max(
                last,
                resumesAt(resumesAt(look.answered() + HOP_DELAY, present) + REPORT_DELAY, present));
      }
    }
    return last;
  }

  /** When the loop does something next on which changes are applied. */
  private static long resumesAt(long when, Faults present) {
    boolean paused =
        present.now(Fault.DOMAIN_PAUSED, when) || present.now(Fault.LOOPS_PAUSED, when);
    return paused ? present.until() + HOP_DELAY : when;
  }
}
