// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A session reads what it has written, and nothing older than what it has read, of what was written
 * through the proxy. Stateless.
 */
public final class SessionChecker implements Checker {
  @Override
  public List<Violation> check(Recording recording, Timeline timeline, Bounds bounds) {
    List<Violation> violations = new ArrayList<>();
    List<Seen> seen = new ArrayList<>();
    for (Read read : recording.reads()) {
      int first = SetChecker.first(read, timeline, bounds);
      int last = SetChecker.last(read, timeline);
      Floors floors = new Floors(recording, read, bounds.alone() ? List.of() : seen);
      String gap =
          new Explanation(read, timeline, dn -> Math.max(first, floors.of(dn)), last).gap();
      if (gap != null) {
        violations.add(new Violation(Violation.Kind.SESSION, gap));
      }
      note(read, recording, new Window(timeline, first, last), seen);
    }
    return violations;
  }

  /** The states by which a read is explained. Immutable. */
  private record Window(Timeline timeline, int first, int last) {
    /** The oldest of them that shows an entry as the read did. */
    int earliest(Read read, String dn, String shown) {
      int state = first;
      while (state < last && !shown.equals(timeline.entry(state, dn, read.question()))) {
        state++;
      }
      return state;
    }
  }

  /** A session has seen an entry as it was in a state, or a later one. Immutable. */
  private record Seen(String session, long completed, String dn, int state) {}

  /** Only what was written through the proxy is remembered: others may take it back. */
  private static void note(Read read, Recording recording, Window window, List<Seen> seen) {
    read.entries()
        .forEach(
            (dn, shown) -> {
              int state = window.earliest(read, dn, shown);
              int written = 0;
              for (Write write : recording.writes()) {
                if (write.sure() && write.state() <= state && write.concerns(dn)) {
                  written = Math.max(written, write.state());
                }
              }
              if (written > 0) {
                seen.add(new Seen(read.session(), read.completed(), dn, written));
              }
            });
  }

  /** From which state on a session must see each entry. Thread-confined. */
  private static final class Floors {
    private final Recording recording;
    private final Read read;
    private final List<Seen> seen;
    private final Map<String, Integer> known = new HashMap<>();

    Floors(Recording recording, Read read, List<Seen> seen) {
      this.recording = recording;
      this.read = read;
      this.seen = seen;
    }

    int of(String dn) {
      return known.computeIfAbsent(dn, this::find);
    }

    private int find(String dn) {
      int floor = 0;
      for (Write write : recording.writes()) {
        boolean own = write.sure() && write.session().equals(read.session());
        if (own && write.answered() < read.invoked() && write.concerns(dn)) {
          floor = Math.max(floor, write.state());
        }
      }
      for (Seen one : seen) {
        boolean own = one.session().equals(read.session()) && one.dn().equals(dn);
        floor = own && one.completed() < read.invoked() ? Math.max(floor, one.state()) : floor;
      }
      return floor;
    }
  }
}
