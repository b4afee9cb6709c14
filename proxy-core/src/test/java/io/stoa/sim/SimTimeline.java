// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.sim.check.LeakChecker;
import io.stoa.sim.check.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
  private final Map<Question, Asked> asked = new HashMap<>();
  private final Map<SimForms.Kind, SimForms> forms = new HashMap<>();
  private @Nullable Asked last;

  /** Holds the first state since ever. */
  SimTimeline(SimTree first) {
    states.add(first);
    times.add(Long.MIN_VALUE);
  }

  /** What a change would have led to that was undone. Thread-confined. */
  static final class Undone {
    private final SimChange change;
    private final SimTree tree;
    private final long from;
    private long until;
    private int holders;

    Undone(SimChange change, SimTree tree, long now) {
      this.change = change;
      this.tree = tree;
      this.from = now;
      this.until = now;
    }

    /** A server keeps it. */
    void kept() {
      holders++;
    }

    /** One has it no more. */
    void healed(long now) {
      holders--;
      until = now;
    }

    private boolean told(long since, long before) {
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

  void rule(SimAcl next, long now) {
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
  public Map<String, String> shown(int state, int to, Object question) {
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
      if (one.change.concerns(dn) && one.told(from, until)) {
        told.add(UNDONE + i);
      }
    }
    return told;
  }

  private SimView view(Object question, int to, SimTree tree) {
    Asked known = last;
    if (known == null || known.question != question) {
      known = asked.computeIfAbsent((Question) question, one -> new Asked(one, forms));
      last = known;
    }
    return known.view(rules.get(to), tree);
  }

  /** The answers to one question, by who may see what. Thread-confined. */
  private static final class Asked {
    private final Question question;
    private final Map<SimForms.Kind, SimForms> forms;
    private final Map<SimAcl.Clearance, SimView> views = new HashMap<>();
    private @Nullable SimAcl present;
    private @Nullable SimView view;

    Asked(Question question, Map<SimForms.Kind, SimForms> forms) {
      this.question = question;
      this.forms = forms;
    }

    SimView view(SimAcl rules, SimTree tree) {
      SimView known = view;
      if (known == null || !rules.equals(present) || rules.number() == SimAcl.BY_GROUP) {
        SimAcl.Clearance clearance = rules.of(question.identity(), tree);
        known = views.computeIfAbsent(clearance, one -> new SimView(question, one, forms));
        view = known;
        present = rules;
      }
      return known;
    }
  }
}
