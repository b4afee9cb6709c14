// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import io.stoa.sim.check.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a directory held that one client writes, state by state: when a write was sent, and when it
 * was answered; and who may see what, rules by rules. Thread-safe.
 */
final class OracleTree implements Timeline {
  private static final int NO_SUCH_OBJECT = 32;

  /** States that never were are counted from here. */
  private static final int UNDONE = 1 << 24;

  /** And from here those that a replica shows while it catches up. */
  private static final int CATCHING_UP = 1 << 25;

  /** And from here those with entries that have their next name, and nothing else as it is then. */
  private static final int NAMED = 1 << 26;

  private final boolean replicated;
  private final List<Rules> rules = new ArrayList<>();
  private final List<State> states = new ArrayList<>();
  private final List<Undone> undone = new ArrayList<>();
  private final List<State> named = new ArrayList<>();
  private final Map<Span, List<Integer>> namedOf = new HashMap<>();
  private final Map<AnswerKey, List<Map<String, String>>> answers = new HashMap<>();

  /** By who asks for what, and by what there is of an entry. */
  private final Map<VisibleKey, Map<SortedMap<String, String>, String>> forms = new HashMap<>();

  /** An entry from one state to another. */
  private record Span(String dn, int first, int last) {}

  private record AnswerKey(OracleSearch search, Sight sight) {}

  private record VisibleKey(String identity, List<String> shown, Sight sight) {}

  /** What somebody may see. Two of them are equal if they say the same. Immutable. */
  interface Sight {
    boolean hides(String identity, String dn);

    boolean hides(String identity, String dn, String attribute);
  }

  /** All entries with their attributes, when the write was sent that made it so, and answered. */
  private record State(
      SortedMap<String, SortedMap<String, String>> entries,
      Set<String> changed,
      long sent,
      long answered) {}

  /** An entry as servers have told that it was, and as it never was. */
  private record Undone(String dn, State state, long from, long until) {}

  /** Who may see what, when the first server may have begun to say so, and when all did. */
  private record Rules(Sight sight, long sent, long answered) {}

  /**
   * Begins.
   *
   * @param replicated whether a replica may answer
   */
  OracleTree(SortedMap<String, SortedMap<String, String>> first, Sight sight, boolean replicated) {
    this.replicated = replicated;
    long now = System.nanoTime();
    states.add(new State(first, Set.of(), now, now));
    rules.add(new Rules(sight, now, now));
  }

  /** The rules are others: until all servers have them any may have these, or those before. */
  synchronized void ruled(Sight sight, long sent, long answered) {
    rules.add(new Rules(sight, sent, answered));
  }

  private Sight sight(int number) {
    return rules.get(number).sight();
  }

  /** As it is now. */
  synchronized SortedMap<String, SortedMap<String, String>> now() {
    return states.get(states.size() - 1).entries();
  }

  /** It was changed. */
  synchronized void becomes(
      SortedMap<String, SortedMap<String, String>> entries, long sent, long answered) {
    Set<String> changed = new HashSet<>(entries.keySet());
    changed.addAll(now().keySet());
    changed.removeIf(dn -> entries.containsKey(dn) && entries.get(dn).equals(now().get(dn)));
    states.add(new State(entries, changed, sent, answered));
  }

  /** An entry was shown as it never was, from a time until another one. */
  synchronized void never(String dn, SortedMap<String, String> shown, long from, long until) {
    SortedMap<String, SortedMap<String, String>> entries = new TreeMap<>(now());
    entries.put(dn, shown);
    undone.add(new Undone(dn, new State(entries, Set.of(dn), from, from), from, until));
  }

  /** What was over by then is not needed any more, but for the last of it. */
  synchronized void forget(long before) {
    int last = at(before);
    State first = states.get(last);
    List<State> later = List.copyOf(states.subList(last + 1, states.size()));
    states.clear();
    states.add(new State(first.entries(), Set.of(), first.sent(), first.answered()));
    states.addAll(later);
    undone.removeIf(one -> one.until() - before < 0);
    rules.subList(0, rules(before)).clear();
    named.clear();
    namedOf.clear();
    answers.clear();
    forms.clear();
  }

  private State state(int number) {
    if (number >= NAMED) {
      return named.get(number - NAMED);
    }
    if (number >= CATCHING_UP) {
      return otherwiseNamed(states.get(number - CATCHING_UP));
    }
    return number < UNDONE ? states.get(number) : undone.get(number - UNDONE).state();
  }

  /** With what is below the container that moves by the name that it has before, or gets later. */
  private static State otherwiseNamed(State state) {
    SortedMap<String, SortedMap<String, String>> entries = new TreeMap<>();
    boolean moved = state.entries().containsKey(OracleWorld.MOVED);
    String from = moved ? OracleWorld.MOVED : OracleWorld.MOVING;
    state
        .entries()
        .forEach((dn, all) -> entries.put(dn.endsWith(from) ? otherwiseNamed(dn) : dn, all));
    return new State(entries, Set.of(), state.sent(), state.answered());
  }

  /** As its container is called before, or later, if that moves. */
  private static String otherwiseNamed(String dn) {
    if (dn.endsWith(OracleWorld.MOVED)) {
      return dn.substring(0, dn.length() - OracleWorld.MOVED.length()) + OracleWorld.MOVING;
    }
    return dn.endsWith(OracleWorld.MOVING)
        ? dn.substring(0, dn.length() - OracleWorld.MOVING.length()) + OracleWorld.MOVED
        : dn;
  }

  @Override
  public synchronized int at(long time) {
    int last = states.size() - 1;
    while (last > 0 && states.get(last).answered() - time > 0) {
      last--;
    }
    return last;
  }

  @Override
  public synchronized int atMost(long time) {
    int last = states.size() - 1;
    while (last > 0 && states.get(last).sent() - time > 0) {
      last--;
    }
    return last;
  }

  @Override
  public synchronized int rules(long time) {
    int last = rules.size() - 1;
    while (last > 0 && rules.get(last).answered() - time > 0) {
      last--;
    }
    return last;
  }

  @Override
  public synchronized int rulesAtMost(long time) {
    int last = rules.size() - 1;
    while (last > 0 && rules.get(last).sent() - time > 0) {
      last--;
    }
    return last;
  }

  @Override
  public synchronized int code(int state, int to, Object question) {
    OracleSearch search = (OracleSearch) question;
    boolean there = state(state).entries().containsKey(search.base());
    return there && !sight(to).hides(search.identity(), search.base()) ? 0 : NO_SUCH_OBJECT;
  }

  @Override
  public synchronized Map<String, String> entries(int state, int to, Object question) {
    AnswerKey asked = new AnswerKey((OracleSearch) question, sight(to));
    if (state >= UNDONE) {
      return found(state, to, asked.search());
    }
    List<Map<String, String>> known = answers.computeIfAbsent(asked, any -> new ArrayList<>());
    for (int next = known.size(); next <= state; next++) {
      Set<String> changed = states.get(next).changed();
      boolean same = next > 0 && changed.stream().noneMatch(asked.search()::holds);
      boolean base = changed.contains(asked.search().base());
      known.add(same && !base ? known.get(next - 1) : found(next, to, asked.search()));
    }
    return known.get(state);
  }

  private Map<String, String> found(int state, int to, OracleSearch search) {
    Map<String, String> found = new HashMap<>();
    if (code(state, to, search) == 0) {
      state(state)
          .entries()
          .forEach(
              (dn, attributes) -> {
                if (search.finds(dn, attributes) && !sight(to).hides(search.identity(), dn)) {
                  found.put(dn, form(dn, attributes, search, sight(to)));
                }
              });
    }
    return found;
  }

  private String form(
      String dn, SortedMap<String, String> attributes, OracleSearch search, Sight sight) {
    return forms
        .computeIfAbsent(
            new VisibleKey(search.identity(), search.shown(), sight),
            any -> new IdentityHashMap<>())
        .computeIfAbsent(attributes, any -> visible(dn, attributes, search, sight).toString());
  }

  /** What is seen of an entry does not depend on its name, but for whether it is seen at all. */
  private static SortedMap<String, String> visible(
      String dn, SortedMap<String, String> attributes, OracleSearch search, Sight sight) {
    SortedMap<String, String> seen = new TreeMap<>(attributes);
    seen.keySet().retainAll(search.shown());
    seen.keySet().removeIf(one -> sight.hides(search.identity(), dn, one));
    return seen;
  }

  @Override
  public synchronized @Nullable String entry(int state, int to, String dn, Object question) {
    OracleSearch search = (OracleSearch) question;
    SortedMap<String, String> attributes = state(state).entries().get(dn);
    return attributes == null || sight(to).hides(search.identity(), dn)
        ? null
        : form(dn, attributes, search, sight(to));
  }

  @Override
  public synchronized List<Integer> undone(String dn, long from, long until) {
    List<Integer> told = new ArrayList<>();
    for (int i = 0; i < undone.size(); i++) {
      Undone one = undone.get(i);
      if (one.dn().equals(dn) && one.from() - until <= 0 && one.until() - from >= 0) {
        told.add(UNDONE + i);
      }
    }
    if (replicated) {
      told.addAll(whileCatchingUp(dn, at(from), atMost(until)));
      told.addAll(namedOf.computeIfAbsent(new Span(dn, at(from), atMost(until)), this::namedFirst));
    }
    return told;
  }

  /** An entry may have its next name on a replica before it has the attributes of that time. */
  private List<Integer> namedFirst(Span span) {
    List<SortedMap<String, SortedMap<String, String>>> among =
        states.subList(span.first(), span.last() + 1).stream().map(State::entries).toList();
    int before = named.size();
    Stream.of(span.dn(), otherwiseNamed(span.dn()))
        .distinct()
        .flatMap(name -> OracleMoves.before(name, among).stream())
        .forEach(body -> named.add(with(span.dn(), body, states.get(span.last()))));
    return IntStream.range(before, named.size()).mapToObj(i -> NAMED + i).toList();
  }

  private static State with(String dn, SortedMap<String, String> attributes, State state) {
    SortedMap<String, SortedMap<String, String>> entries = new TreeMap<>(state.entries());
    entries.put(dn, attributes);
    return new State(entries, Set.of(dn), state.sent(), state.answered());
  }

  /** How an entry of that name, wherever it was, has become what it is: for people. */
  synchronized String story(String rdn) {
    StringBuilder story = new StringBuilder();
    for (int i = 0; i < states.size(); i++) {
      for (String dn : states.get(i).changed()) {
        if (dn.startsWith(rdn + ",")) {
          story.append("\n").append(i).append(' ').append(dn).append(' ');
          story.append(states.get(i).entries().get(dn));
        }
      }
    }
    return story.toString();
  }

  /**
   * A replica that has been cut off is told, by a refresh (RFC 4533, section 3.3), how each entry
   * is now, in no order of time: a subtree may have its next name there before the entries below it
   * are as they were when it got that.
   */
  private List<Integer> whileCatchingUp(String dn, int first, int last) {
    List<State> among = states.subList(first, last + 1);
    boolean renamed =
        !otherwiseNamed(dn).equals(dn)
            && among.stream().anyMatch(one -> one.entries().containsKey(OracleWorld.MOVED))
            && among.stream().anyMatch(one -> one.entries().containsKey(OracleWorld.MOVING));
    return renamed
        ? IntStream.rangeClosed(first, last).map(i -> CATCHING_UP + i).boxed().toList()
        : List.of();
  }
}
