// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes a script of a seed, in bursts: a search, others that differ from it in one respect, and the
 * first ones again, with writes between them. Entries that were used a moment ago, and entries
 * whose attributes the server computes, are used more often. Confined to the thread of the test.
 */
final class Generator {
  private static final int MAX_VARIANTS = 5;
  private static final int MAX_RECENT = 4;
  private static final int MAX_SERIES = 26;

  private final RandomChoices draws;
  private final List<Vocabulary> vocabularies;
  private final List<Identity> identities;
  private final int ways;
  private final Writes writes;
  private final List<ScriptStep> script = new ArrayList<>();
  private final Deque<String> recent = new ArrayDeque<>();
  private int way;

  Generator(long seed, List<Vocabulary> words, List<Identity> identities, int ways) {
    this.draws = new RandomChoices(seed);
    this.vocabularies = words;
    this.identities = identities;
    this.ways = ways;
    this.writes = new Writes(draws);
  }

  /**
   * A script of at least so many acts. It stays in one subtree for some bursts, and with one way of
   * writing: what was written another way may be shown late, so that less could be proved.
   */
  List<ScriptStep> script(int acts) {
    while (script.size() < acts) {
      Vocabulary about = draws.of(vocabularies);
      recent.clear();
      way = draws.oneIn(4) ? -1 : draws.below(ways);
      for (int i = draws.below(8); i >= 0; i--) {
        if (draws.oneIn(2)) {
          pair(about);
        } else {
          burst(about);
        }
      }
    }
    return List.copyOf(script);
  }

  /** A search, and again after each one that differs in one respect; perhaps with a write. */
  private void pair(Vocabulary about) {
    int who = draws.below(identities.size());
    SearchTemplate first = SearchTemplate.about(draws, about, entry(about));
    List<ScriptStep> asked = new ArrayList<>();
    addSearch(about, asked, who, first);
    for (int i = draws.below(3); i >= 0; i--) {
      int other = draws.oneIn(4) ? draws.below(identities.size()) : who;
      script.add(ScriptStep.ask(about, other, first.varied(draws, about).request()));
      script.add(asked.get(0));
    }
    if (!draws.oneIn(3)) {
      write(about, asked, who);
      script.addAll(asked);
    }
  }

  /** A recent entry, one that is computed, or another one. */
  private String entry(Vocabulary about) {
    boolean again = !recent.isEmpty() && draws.oneIn(2);
    boolean computed = !about.computed().isEmpty() && !draws.oneIn(3);
    String dn =
        again
            ? draws.of(List.copyOf(recent))
            : draws.of(computed ? about.computed() : about.bases());
    recordUse(dn);
    return dn;
  }

  private void recordUse(String dn) {
    recent.remove(dn);
    recent.addFirst(dn);
    if (recent.size() > MAX_RECENT) {
      recent.removeLast();
    }
  }

  private void burst(Vocabulary about) {
    List<ScriptStep> asked = new ArrayList<>();
    int who = draws.below(identities.size());
    SearchTemplate question = SearchTemplate.draw(draws, about);
    addSearch(about, asked, who, question);
    for (int i = 1 + draws.below(MAX_VARIANTS); i > 0; i--) {
      question = draws.oneIn(3) ? SearchTemplate.draw(draws, about) : question.varied(draws, about);
      addSearch(about, asked, draws.oneIn(4) ? draws.below(identities.size()) : who, question);
    }
    if (draws.oneIn(2)) {
      addOtherOperation(about, question);
    }
    if (!draws.oneIn(3)) {
      write(about, asked, who);
    }
    for (ScriptStep act : asked) {
      script.add(draws.oneIn(3) ? act.as(draws.below(identities.size())) : act);
    }
  }

  private void addSearch(
      Vocabulary about, List<ScriptStep> asked, int who, SearchTemplate question) {
    ScriptStep act = ScriptStep.ask(about, who, question.request());
    asked.add(act);
    script.add(act);
  }

  /** An operation that is no simple search. */
  private void addOtherOperation(Vocabulary about, SearchTemplate question) {
    int visitor = identities.size() - 1;
    int who = draws.below(identities.size());
    String dn = draws.respelled(entry(about));
    switch (draws.below(10)) {
      case 0 -> script.add(ScriptStep.ask(about, who, Requests.whoAmI()));
      case 1 ->
          script.add(ScriptStep.ask(about, visitor, Requests.bind(dn, "pw-" + draws.below(5))));
      case 2 -> {
        Identity identity = draws.of(identities);
        script.add(
            ScriptStep.ask(about, visitor, Requests.bind(identity.dn(), identity.password())));
      }
      case 3 -> script.add(ScriptStep.ask(about, who, Requests.extended("1.3.6.1.4.1.99999.1")));
      case 4 -> walk(about, who, question);
      case 5 -> script.add(ScriptStep.abandon(about, who, question.request()));
      case 6 -> {
        if (about.isTree()) {
          script.add(ScriptStep.ask(about, about.writer(), writes.repeatable(about)));
        }
      }
      case 7 -> script.add(ScriptStep.ask(about, who, question.view(1 + draws.below(4)).request()));
      default -> script.add(ScriptStep.ask(about, who, compare(about, dn)));
    }
  }

  private void walk(Vocabulary about, int who, SearchTemplate question) {
    int size = 1 + draws.below(4);
    if (about.isPaged()) {
      script.add(ScriptStep.walk(about, who, question.plain().request(), size));
    }
  }

  private RawRequest compare(Vocabulary about, String dn) {
    String value = draws.oneIn(3) ? draws.of(about.bases()) : draws.of(VALUES);
    return Requests.compare(dn, draws.of(about.attributes()), value);
  }

  private static final List<String> VALUES =
      List.of("u1", "Paris", "paris", "1", "top", "inetOrgPerson", "");

  /**
   * Up to three writes, and searches for what they may change before and after them. After a pause
   * the searches rest on a feed where there is one: a first answer to an identity only has an age.
   */
  private void write(Vocabulary about, List<ScriptStep> asked, int asker) {
    int who = draws.oneIn(8) ? draws.below(identities.size() - 1) : about.writer();
    List<ScriptStep> written = new ArrayList<>();
    for (int i = draws.below(3); i >= 0; i--) {
      written.add(write(about, who));
      recordUse(writes.target());
      addSearch(about, asked, asker, SearchTemplate.about(draws, about, writes.target()));
      if (!about.computed().isEmpty()) {
        addSearch(
            about, asked, asker, SearchTemplate.about(draws, about, draws.of(about.computed())));
      }
    }
    if (draws.oneIn(3)) {
      script.add(ScriptStep.pause(about));
      script.addAll(asked);
    }
    script.addAll(written);
    series(about, asker);
  }

  /**
   * Writes one after the other, and after each a search for what it may have changed: the same one
   * each time, so that its answer is stored before the write.
   */
  private void series(Vocabulary about, int asker) {
    Map<String, ScriptStep> looks = new HashMap<>();
    for (int i = draws.below(MAX_SERIES); i > 0; i--) {
      ScriptStep write = write(about, about.writer());
      boolean computed = !about.computed().isEmpty() && draws.oneIn(2);
      String dn = computed ? draws.of(about.computed()) : writes.target();
      ScriptStep look = looks.get(dn);
      if (look == null) {
        look = ScriptStep.ask(about, asker, SearchTemplate.about(draws, about, dn).request());
        looks.put(dn, look);
        script.add(look);
      }
      script.add(write);
      script.add(look);
    }
  }

  private ScriptStep write(Vocabulary about, int who) {
    return ScriptStep.write(about, who, way, writes.draw(about, who == about.writer()));
  }
}
