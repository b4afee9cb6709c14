// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.fuzz.Act.Kind;
import io.stoa.testing.Requests;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes a script of a seed, in bursts: a search, others that differ from it in one respect, and the
 * first ones again, with writes between them. Confined to the thread of the test.
 */
final class Generator {
  private static final int MOST_VARIANTS = 5;

  private final Draws draws;
  private final List<Vocabulary> words;
  private final List<Identity> identities;
  private final int ways;
  private final Writes writes;
  private final List<Act> script = new ArrayList<>();

  Generator(long seed, List<Vocabulary> words, List<Identity> identities, int ways) {
    this.draws = new Draws(seed);
    this.words = words;
    this.identities = identities;
    this.ways = ways;
    this.writes = new Writes(draws);
  }

  /** A script of at least so many acts. */
  List<Act> script(int acts) {
    while (script.size() < acts) {
      burst(draws.of(words));
    }
    return List.copyOf(script);
  }

  private void burst(Vocabulary about) {
    List<Act> asked = new ArrayList<>();
    int who = draws.below(identities.size());
    Question question = Question.draw(draws, about);
    ask(asked, who, question);
    for (int i = 1 + draws.below(MOST_VARIANTS); i > 0; i--) {
      question = draws.oneIn(3) ? Question.draw(draws, about) : question.varied(draws, about);
      ask(asked, draws.oneIn(4) ? draws.below(identities.size()) : who, question);
    }
    if (draws.oneIn(3)) {
      other(about);
    }
    if (draws.oneIn(2)) {
      write(about, asked, who);
    }
    for (Act act : asked) {
      script.add(draws.oneIn(3) ? Act.ask(draws.below(identities.size()), act.request()) : act);
    }
  }

  private void ask(List<Act> asked, int who, Question question) {
    Act act = Act.ask(who, question.request());
    asked.add(act);
    script.add(act);
  }

  /** Something that is no search. */
  private void other(Vocabulary about) {
    int visitor = identities.size() - 1;
    int who = draws.below(identities.size());
    String dn = draws.spelt(draws.of(about.bases()));
    switch (draws.below(6)) {
      case 0 -> script.add(Act.ask(who, Requests.whoAmI()));
      case 1 -> script.add(Act.ask(visitor, Requests.bind(dn, "pw-" + draws.below(5))));
      case 2 -> {
        Identity identity = draws.of(identities);
        script.add(Act.ask(visitor, Requests.bind(identity.dn(), identity.password())));
      }
      case 3 -> script.add(Act.ask(who, Requests.extended("1.3.6.1.4.1.99999.1")));
      default ->
          script.add(
              Act.ask(who, Requests.compare(dn, draws.of(about.attributes()), draws.of(VALUES))));
    }
  }

  private static final List<String> VALUES =
      List.of("u1", "Paris", "paris", "1", "top", "inetOrgPerson", "");

  /** Up to three writes, and searches for what they may change before and after them. */
  private void write(Vocabulary about, List<Act> asked, int asker) {
    boolean through = !draws.oneIn(3);
    int who = draws.oneIn(8) ? draws.below(identities.size() - 1) : about.writer();
    Kind kind = through ? Kind.WRITE_THROUGH : Kind.WRITE_ROUND;
    List<Act> written = new ArrayList<>();
    for (int i = draws.below(3); i >= 0; i--) {
      written.add(new Act(kind, who, through ? draws.below(ways) : -1, writes.draw(about)));
      ask(asked, asker, Question.about(draws, about, writes.target()));
    }
    script.addAll(written);
  }
}
