// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A session reads what it has written, and nothing older than what it has read, of what was written
 * through the proxy. Stateless.
 */
public final class SessionChecker implements Checker {
  @Override
  public List<Violation> check(Recording recording, Timeline timeline, Bounds bounds) {
    List<Violation> violations = new ArrayList<>();
    SessionHistories memories = new SessionHistories(recording.writes(), bounds.alone());
    for (Read read : recording.reads()) {
      Window window = Window.of(read, timeline, bounds);
      if (memories.newest(read) > window.first()) {
        String gap = gap(memories, window);
        if (gap != null) {
          violations.add(new Violation(Violation.Kind.SESSION, gap));
        }
      }
      memories.recordSeen(window);
    }
    return violations;
  }

  private static @Nullable String gap(SessionHistories memories, Window window) {
    Map<String, Integer> floors = new HashMap<>();
    return new Explanation(
            window,
            dn ->
                floors.computeIfAbsent(
                    dn, one -> Math.max(window.first(), memories.floor(window.read(), one))))
        .gap();
  }

  /** What sessions have written and seen. Thread-confined. */
  private static final class SessionHistories {
    private final List<Write> writes;
    private final boolean alone;
    private final Map<SessionEntry, List<SeenState>> seen = new HashMap<>();
    private final Map<String, Integer> newestSeen = new HashMap<>();

    SessionHistories(List<Write> writes, boolean alone) {
      this.writes = writes.stream().filter(Write::sure).toList();
      this.alone = alone;
    }

    /**
     * Of one session. Immutable.
     *
     * @param derived whether what was seen follows from other entries
     */
    private record SessionEntry(String session, String dn, boolean derived) {}

    /** An entry was shown as it was in a state, or a later one. Immutable. */
    private record SeenState(long completed, int state) {}

    /** No entry must be seen in a newer state than this. */
    int newest(Read read) {
      int newest = newestSeen.getOrDefault(read.session(), 0);
      for (Write write : writes) {
        if (write.answered() < read.invoked() && write.session().equals(read.session())) {
          newest = Math.max(newest, write.state());
        }
      }
      return newest;
    }

    /** From which state on a session must see an entry. */
    int floor(Read read, String dn) {
      int floor = 0;
      for (Write write : writes) {
        boolean before = write.answered() < read.invoked() && write.state() > floor;
        if (before
            && write.session().equals(read.session())
            && write.concerns(dn, read.derives())) {
          floor = write.state();
        }
      }
      floor = Math.max(floor, newestSeenState(read, dn, false));
      return read.derives() ? Math.max(floor, newestSeenState(read, dn, true)) : floor;
    }

    private int newestSeenState(Read read, String dn, boolean derived) {
      int floor = 0;
      SessionEntry place = new SessionEntry(read.session(), dn, derived);
      for (SeenState one : seen.getOrDefault(place, List.of())) {
        floor = one.completed() < read.invoked() ? Math.max(floor, one.state()) : floor;
      }
      return floor;
    }

    /**
     * Only what was written through the proxy is remembered: others may take it back. What was told
     * and never was may be taken back, too.
     */
    void recordSeen(Window window) {
      if (!alone) {
        window
            .read()
            .entries()
            .forEach(
                (dn, shown) -> {
                  recordSeen(window, dn, shown, false);
                  if (window.read().derives()) {
                    recordSeen(window, dn, shown, true);
                  }
                });
      }
    }

    private void recordSeen(Window window, String dn, String shown, boolean derived) {
      int written = 0;
      int state = -1;
      for (Write write : writes) {
        boolean later = write.state() > written && write.state() <= window.last();
        if (later && write.concerns(dn, derived)) {
          state = state < 0 ? window.earliest(dn, shown) : state;
          written = write.state() <= state ? write.state() : written;
        }
      }
      if (written > 0 && !window.isAnnounced(dn, shown)) {
        Read read = window.read();
        SessionEntry place = new SessionEntry(read.session(), dn, derived);
        newestSeen.merge(read.session(), written, Math::max);
        seen.computeIfAbsent(place, one -> new ArrayList<>())
            .add(new SeenState(read.completed(), written));
      }
    }
  }
}
