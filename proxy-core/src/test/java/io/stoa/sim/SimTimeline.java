// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.sim.check.LeakChecker;
import io.stoa.sim.check.Read;
import io.stoa.sim.check.Timeline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All states that there were, all access rules, and what was announced and undone. Thread-confined.
 */
final class SimTimeline implements Timeline, SimView.States {
  /** States that never were are counted from here. */
  private static final int UNDONE = 1 << 20;

  private final List<SimTree> states = new ArrayList<>();
  private final List<Long> times = new ArrayList<>();
  private final List<Set<String>> changed = new ArrayList<>(List.of(Set.of()));
  private final List<SimAcl> rules = new ArrayList<>(List.of(new SimAcl(0)));
  private final List<Long> ruleTimes = new ArrayList<>(List.of(Long.MIN_VALUE));
  private final List<Undone> undone = new ArrayList<>();
  private final List<Integer> lost = new ArrayList<>();
  private long comparedFrom = Long.MAX_VALUE;
  private long comparedBy = Long.MAX_VALUE;
  private final SimNotices notices = new SimNotices(this);
  private final Map<SimRequest, CachedViews> viewsByRequest = new HashMap<>();
  private final SimVisibility visibility = new SimVisibility();
  private @Nullable CachedViews lastViews;

  /** Holds the first state since ever. */
  SimTimeline(SimTree first) {
    states.add(first);
    times.add(Long.MIN_VALUE);
  }

  /** What a change would have led to that was undone. Thread-confined. */
  static final class Undone {
    private final SimChange change;
    private final SimTree tree;
    private long from = Long.MAX_VALUE;
    private long until = Long.MIN_VALUE;
    private int holders;

    Undone(SimChange change, SimTree tree) {
      this.change = change;
      this.tree = tree;
    }

    /** A server keeps it, and shows it from now on. */
    void onKept(long now) {
      from = Math.min(from, now);
      holders++;
    }

    /** One has it no more. */
    void onHealed(long now) {
      holders--;
      until = now;
    }

    private boolean wasVisible(long since, long before) {
      return from <= before && (holders > 0 || until >= since);
    }
  }

  /** Makes the next state; returns its number. */
  int add(SimTree tree, long now) {
    changed.add(tree.differences(states.get(states.size() - 1)));
    states.add(tree);
    times.add(now);
    return states.size() - 1;
  }

  /** Notes what never came to be; returns the number of that state. */
  int undo(Undone one) {
    undone.add(one);
    return UNDONE + undone.size() - 1;
  }

  Undone undone(int state) {
    return undone.get(state - UNDONE);
  }

  /** A feed does not tell what has made a state, and says that it has. */
  void markLost(int state) {
    lost.add(state);
  }

  /** Stoa has learned of what has made a state without the feed. */
  void markKnown(int state) {
    lost.remove((Integer) state);
  }

  /** All that is in memory is compared with the directory. */
  void setComparison(long from, long by) {
    comparedFrom = from;
    comparedBy = by;
  }

  /**
   * Whether nothing has found it out that a state was lost: perhaps it was made too late for it.
   */
  private boolean isUnknown(int state, Read read) {
    return read.invoked() < comparedBy || since(state) >= comparedFrom;
  }

  void addRules(SimAcl next, long now) {
    rules.add(next);
    ruleTimes.add(now);
  }

  @Override
  public Set<String> changed(int state) {
    return state < UNDONE ? changed.get(state) : tree(state).differences(tree(state - 1));
  }

  @Override
  public SimTree tree(int state) {
    return state < UNDONE ? states.get(state) : undone.get(state - UNDONE).tree;
  }

  /** What was told before it was so, or though it was undone. */
  SimNotices notices() {
    return notices;
  }

  /** When a state began. */
  long since(int state) {
    return times.get(state);
  }

  int newest() {
    return states.size() - 1;
  }

  LeakChecker.Rules secrets() {
    return (one, session, dn, shown) -> rules.get(one).hides(session, dn, shown);
  }

  @Override
  public int at(long when) {
    return last(times, when);
  }

  @Override
  public int rules(long when) {
    return last(ruleTimes, when);
  }

  private static int last(List<Long> times, long when) {
    int low = 0;
    int high = times.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) / 2;
      if (times.get(middle) <= when) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  @Override
  public int code(int state, int to, Object question) {
    SimTree tree = tree(state);
    return view(question, to, tree).code(tree);
  }

  @Override
  public Map<String, String> entries(int state, int to, Object question) {
    return view(question, to, tree(state)).shown(state, this);
  }

  @Override
  public @Nullable String entry(int state, int to, String dn, Object question) {
    SimTree tree = tree(state);
    return view(question, to, tree).entry(tree.get(dn));
  }

  @Override
  public List<Integer> undone(String dn, long from, long until) {
    if (undone.isEmpty()) {
      return List.of();
    }
    List<Integer> told = new ArrayList<>();
    for (int i = 0; i < undone.size(); i++) {
      Undone one = undone.get(i);
      if (one.change.concerns(dn) && one.wasVisible(from, until)) {
        told.add(UNDONE + i);
      }
    }
    return told;
  }

  @Override
  public List<Integer> announced(Read read, String dn, int oldest) {
    return notices.explainingStates(read, dn, oldest);
  }

  @Override
  public List<Integer> unreported(Read read, String dn, int oldest) {
    return lost.stream()
        .filter(state -> state <= newest() && isUnknown(state, read))
        .filter(state -> changed(state).contains(dn))
        .flatMapToInt(state -> hidden(state, dn, oldest, read.derives()))
        .boxed()
        .toList();
  }

  /**
   * The states that may be shown of an entry since a change of it was lost: that before it until
   * what comes next of the entry shows all. But if it got another name nobody knows that it has
   * left that one when it comes back, so that it may also seem not to be there any more.
   */
  private IntStream hidden(int state, String dn, int oldest, boolean derives) {
    boolean all =
        IntStream.rangeClosed(state + 1, oldest)
            .anyMatch(one -> revealsLost(one, state, dn, derives));
    IntStream before = all ? IntStream.empty() : IntStream.of(state - 1);
    return renames(state, dn) ? IntStream.concat(before, statesWithout(state, oldest, dn)) : before;
  }

  private IntStream statesWithout(int first, int last, String dn) {
    return IntStream.rangeClosed(first, last).filter(one -> tree(one).get(dn) == null);
  }

  /** Whether the entry of that name is there by another one before, or afterwards. */
  private boolean renames(int state, String dn) {
    List<String> uuids = values(state, dn, SimTree.UUID);
    return uuids.size() == 1 && isThere(state, uuids.get(0)) && isThere(state - 1, uuids.get(0));
  }

  private boolean isThere(int state, String uuid) {
    return tree(state).entries().values().stream()
        .anyMatch(entry -> uuid.equals(entry.getAttributeValue(SimTree.UUID)));
  }

  /** Whether what has made a state shows what was lost, too: the next change of the same entry. */
  private boolean revealsLost(int state, int lost, String dn, boolean derives) {
    return changes(state, dn, derives)
        && !Collections.disjoint(values(state, dn, SimTree.UUID), values(lost, dn, SimTree.UUID));
  }

  /** Whether the change that has made a state was one of that entry itself. */
  boolean isStamped(int state, String uuid) {
    return !stamps(state, uuid).equals(stamps(state - 1, uuid));
  }

  private List<String> stamps(int state, String uuid) {
    return tree(state).entries().values().stream()
        .filter(entry -> uuid.equals(entry.getAttributeValue(SimTree.UUID)))
        .map(entry -> entry.getAttributeValue(SimTree.CSN))
        .toList();
  }

  /**
   * Whether an entry is another one since a state was made.
   *
   * @param derives whether to who looks at what follows from the changes of others
   */
  private boolean changes(int state, String dn, boolean derives) {
    return changed(state).contains(dn) && (derives || !isDerivedChange(state, dn));
  }

  /** Whether the entry was there before, and has no other stamp. */
  private boolean isDerivedChange(int state, String dn) {
    List<String> stamps = values(state, dn, SimTree.CSN);
    return stamps.size() > 1 && stamps.get(0).equals(stamps.get(1));
  }

  /** What an entry has of an attribute in a state, and had before it. */
  private List<String> values(int state, String dn, String attribute) {
    return Stream.of(tree(state - 1).get(dn), tree(state).get(dn))
        .filter(Objects::nonNull)
        .map(entry -> entry.getAttributeValue(attribute))
        .toList();
  }

  private SimView view(Object question, int to, SimTree tree) {
    CachedViews known = lastViews;
    if (known == null || known.request != question) {
      known =
          viewsByRequest.computeIfAbsent(
              (SimRequest) question, one -> new CachedViews(one, visibility));
      lastViews = known;
    }
    return known.view(rules.get(to), tree);
  }

  /** The answers to one question, by who may see what. Thread-confined. */
  private static final class CachedViews {
    private final SimRequest request;
    private final SimVisibility visibility;
    private final Map<SimAcl.Clearance, SimView> views = new HashMap<>();
    private @Nullable SimAcl present;
    private @Nullable SimView view;

    CachedViews(SimRequest question, SimVisibility sights) {
      this.request = question;
      this.visibility = sights;
    }

    SimView view(SimAcl rules, SimTree tree) {
      SimView known = view;
      if (known == null || !rules.equals(present) || rules.number() == SimAcl.BY_GROUP) {
        SimAcl.Clearance clearance = rules.of(request.identity(), tree);
        known = views.computeIfAbsent(clearance, one -> new SimView(request, one, visibility));
        view = known;
        present = rules;
      }
      return known;
    }
  }
}
