// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.sim.SimTimeline.Undone;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * A primary, which takes all writes, and perhaps a replica, which gets them in the same order some
 * time later. One write is done at a time. Thread-confined.
 */
final class SimDirectory {
  private final VirtualTime time;
  private final Faults faults;
  private final SimTimeline timeline;
  private final SimServer primary;
  private final List<SimServer> servers = new ArrayList<>();
  private final Set<SimChange> emptied = new HashSet<>();
  private int csn;
  private boolean busy;
  private long busyUntil;
  private long pendingUntil;
  private long delivered;

  SimDirectory(VirtualTime time, Faults faults, SimTree first, boolean replicated) {
    this.time = time;
    this.faults = faults;
    this.timeline = new SimTimeline(first);
    this.primary = new SimServer("primary", timeline);
    servers.add(primary);
    if (replicated) {
      servers.add(new SimServer("replica", timeline));
    }
  }

  SimTimeline timeline() {
    return timeline;
  }

  SimServer primary() {
    return primary;
  }

  List<SimServer> servers() {
    return servers;
  }

  /** Those to which one may write. */
  List<SimServer> writable() {
    return List.of(primary);
  }

  /** Other access rules hold from now on, everywhere. */
  void setRules(int number) {
    timeline.addRules(new SimAcl(number), time.now());
  }

  /**
   * Does it at the primary, as soon as that does nothing else.
   *
   * @param done is told the result code, and nothing is done in between
   */
  void write(SimChange change, IntConsumer done) {
    if (busy) {
      time.at(busyUntil + 1, () -> write(change, done));
      return;
    }
    SimTree before = timeline.tree(timeline.newest());
    SimTree.Changed changed = before.with(change, csn + 1, hasRefint());
    if (changed.code() == 0) {
      SimCommit commit = next(change, before, changed.tree());
      show(commit, changed.tree());
      announce(commit);
    }
    done.accept(changed.code());
    if (changed.code() == 0 && emptied.remove(change)) {
      empty(change.to());
    }
  }

  /**
   * A change by which one of the containers gets the name that is free: as soon as that is done
   * somebody takes away what is in it.
   */
  SimChange renameAndEmpty(int which) {
    SimTree now = timeline.tree(timeline.newest());
    List<String> names =
        IntStream.range(0, SimNames.CONTAINERS).mapToObj(SimNames::container).toList();
    List<String> there = names.stream().filter(name -> now.get(name) != null).toList();
    List<String> free = names.stream().filter(name -> now.get(name) == null).toList();
    SimChange rename =
        new SimChange(SimChange.Kind.RENAME, there.get(which % there.size()), free.get(0));
    emptied.add(rename);
    return rename;
  }

  /** To another container, where there is none of that name, or for good. */
  private void empty(String container) {
    String below = "," + container;
    SimTree now = timeline.tree(timeline.newest());
    List<String> there = now.entries().keySet().stream().filter(dn -> dn.endsWith(below)).toList();
    for (String dn : there) {
      String elsewhere =
          dn.substring(0, dn.length() - container.length()) + otherContainer(now, container);
      write(
          new SimChange(SimChange.Kind.RENAME, dn, elsewhere),
          code -> {
            if (code != 0) {
              write(new SimChange(SimChange.Kind.DELETE, dn, ""), gone -> {});
            }
          });
    }
  }

  private static String otherContainer(SimTree tree, String container) {
    return IntStream.range(0, SimNames.CONTAINERS)
        .mapToObj(SimNames::container)
        .filter(name -> !name.equals(container) && tree.get(name) != null)
        .findFirst()
        .orElse(SimNames.SUFFIX);
  }

  private boolean hasRefint() {
    return faults.has(Quirk.HIDDEN_REFINT);
  }

  private SimCommit next(SimChange change, SimTree before, SimTree after) {
    csn++;
    return commit(change, before, after, timeline.newest() + 1, false);
  }

  private SimCommit commit(
      SimChange change, SimTree before, SimTree after, int state, boolean undone) {
    String name = change.kind() == SimChange.Kind.RENAME ? change.to() : change.dn();
    Entry old = before.get(change.dn());
    return new SimCommit(csn, change, state, undone, old, after.get(name));
  }

  private void show(SimCommit commit, SimTree tree) {
    timeline.add(tree, time.now());
    primary.show(commit, time.now());
    replicate(commit);
  }

  /** While a lower CSN is pending, nobody is told that all is there up to this one. */
  private void announce(SimCommit commit) {
    pendingUntil = Math.max(pendingUntil, time.now() + faults.pending(commit.csn()));
    boolean pending = pendingUntil > time.now();
    primary.announce(commit, !pending);
    if (pending) {
      time.at(pendingUntil, () -> primary.publish(commit.csn()));
    }
  }

  private void replicate(SimCommit commit) {
    for (SimServer server : servers) {
      if (server != primary) {
        delivered = Math.max(delivered + 1, faults.arrival(commit.csn(), time.now()));
        time.at(delivered, () -> arrive(server, commit));
      }
    }
  }

  private void arrive(SimServer replica, SimCommit commit) {
    if (!commit.undone()) {
      replica.show(commit, time.now());
    } else if (faults.keepsUndone(commit.csn())) {
      replica.keep(commit, time.now());
    }
    replica.announce(commit, true);
  }

  /** All of it or nothing; it is announced before it is known which. */
  void transaction(List<SimChange> changes, boolean abort) {
    if (busy) {
      time.at(busyUntil + 1, () -> transaction(changes, abort));
      return;
    }
    List<SimTree> trees = new ArrayList<>(List.of(timeline.tree(timeline.newest())));
    boolean whole = !abort;
    for (SimChange change : changes) {
      SimTree.Changed changed =
          trees.get(trees.size() - 1).with(change, csn + trees.size(), hasRefint());
      if (changed.code() != 0) {
        whole = false;
        break;
      }
      trees.add(changed.tree());
    }
    if (whole) {
      commit(changes, trees);
    } else if (faults.has(Quirk.PHANTOM)) {
      undo(changes, trees);
    }
  }

  private void commit(List<SimChange> changes, List<SimTree> trees) {
    List<SimCommit> commits = new ArrayList<>();
    int state = timeline.newest();
    for (int i = 1; i < trees.size(); i++) {
      csn++;
      commits.add(commit(changes.get(i - 1), trees.get(i - 1), trees.get(i), state + i, false));
    }
    commits.forEach(timeline.notices()::onAnnounced);
    commits.forEach(this::announce);
    busyUntil = time.now() + faults.notice(csn);
    busy = true;
    time.at(
        busyUntil,
        () -> {
          commits.forEach(one -> show(one, trees.get(one.state() - state)));
          busy = false;
        });
  }

  private void undo(List<SimChange> changes, List<SimTree> trees) {
    for (int i = 1; i < trees.size(); i++) {
      csn++;
      SimTree tree = trees.get(i);
      int state = timeline.undo(new Undone(changes.get(i - 1), tree));
      SimCommit commit = commit(changes.get(i - 1), trees.get(i - 1), tree, state, true);
      timeline.notices().onAnnounced(commit);
      announce(commit);
      replicate(commit);
    }
  }
}
