// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.sim.StatelessRandom.Stream;
import java.util.List;
import java.util.SplittableRandom;

/** Draws what is done, each act by itself. Thread-confined. */
final class ActGenerator {
  private static final List<List<String>> SELECTIONS =
      List.of(
          List.of(),
          List.of(SimTree.FLAG, SimTree.VERSION),
          List.of(SimTree.VERSION, SimTree.PHONE),
          List.of(SimTree.VERSION, SimGroups.MEMBER_OF));
  private static final List<String> FILTERS =
      List.of(
          "(l=%s)",
          "(&(objectClass=person)(l=%s))",
          "(!(l=%s))",
          "(|(l=%s)(l=f0))",
          "(&(l=%s)(memberOf=" + SimNames.group(0) + "))",
          "(telephoneNumber=*)",
          "(cn=e1*)",
          "(serialNumber>=v2)");

  private final int number;
  private final long at;
  private final boolean fed;
  private final SplittableRandom random;

  private ActGenerator(int number, boolean fed, SplittableRandom random) {
    this.number = number;
    this.fed = fed;
    this.random = random;
    this.at = number * Program.BETWEEN + random.nextLong(Program.BETWEEN);
  }

  /** The act of a number. */
  static Act of(StatelessRandom draws, int number) {
    return of(draws, number, false);
  }

  /**
   * The same.
   *
   * @param fed whether to ask more often for what rests on a feed, and to change more of it at once
   */
  static Act of(StatelessRandom draws, int number, boolean fed) {
    return new ActGenerator(number, fed, draws.of(Stream.ACT, number)).act();
  }

  private Act act() {
    int client = random.nextInt(SimNames.CLIENTS.size());
    String identity = SimNames.CLIENTS.get(client);
    int kind = random.nextInt(1000);
    if (kind < 720) {
      return new Act.ClientRead(number, at, client, search(identity));
    }
    if (kind < 770) {
      return new Act.ClientRead(number, at, client, compare(identity));
    }
    if (kind < 830) {
      return new Act.ClientWrite(number, at, client, change());
    }
    if (kind < 940) {
      return fed && random.nextInt(4) == 0
          ? new Act.Transaction(number, at, List.of(simple(), simple()), false)
          : new Act.DirectWrite(number, at, change());
    }
    return rare(kind);
  }

  private Act rare(int kind) {
    if (kind < 955) {
      List<SimChange> changes = List.of(simple(), simple());
      return new Act.Transaction(number, at, changes, random.nextBoolean());
    }
    if (kind < 965) {
      return new Act.RuleChange(number, at, random.nextInt(SimAcl.VARIANTS));
    }
    if (kind < 985) {
      return new Act.Abandon(number, at, Math.max(0, number - 1 - random.nextInt(2)));
    }
    if (fed && kind >= 993) {
      int client = random.nextInt(SimNames.CLIENTS.size());
      return new Act.RenameAndEmpty(
          number, at, client, random.nextInt(SimNames.PRESENT_CONTAINERS));
    }
    Act.Administration.Action[] all = Act.Administration.Action.values();
    Act.Administration.Action what = all[random.nextInt(all.length)];
    boolean identity = what == Act.Administration.Action.FLUSH_IDENTITY;
    return new Act.Administration(number, at, what, identity ? SimNames.CLERK : container());
  }

  private SimSearch search(String identity) {
    return fed && random.nextBoolean() ? usual(identity) : any(identity);
  }

  /** One of a few: most views outlive much of what happens. */
  private SimSearch usual(String identity) {
    String top = SimNames.container(0);
    return switch (random.nextInt(5)) {
      case 0 -> new SimSearch(identity, SimNames.SUFFIX, 2, "(l=f0)", List.of());
      case 1 -> new SimSearch(identity, SimNames.SUFFIX, 2, "(cn=e1*)", List.of());
      case 2 -> new SimSearch(identity, top, 1, "(l=f1)", List.of(SimTree.VERSION));
      case 3 -> new SimSearch(identity, SimNames.SUFFIX, 2, "(cn=e3*)", List.of(SimTree.VERSION));
      default -> new SimSearch(identity, SimNames.person(0, 0), 0, "(objectClass=*)", List.of());
    };
  }

  private SimSearch any(String identity) {
    List<String> shown = SELECTIONS.get(random.nextInt(1 + random.nextInt(SELECTIONS.size())));
    int kind = random.nextInt(100);
    if (kind < 55) {
      return new SimSearch(identity, person(), 0, "(objectClass=*)", shown);
    }
    if (kind < 60) {
      return new SimSearch(identity, group(), 0, "(objectClass=*)", shown);
    }
    String filter =
        FILTERS.get(random.nextInt(1 + random.nextInt(FILTERS.size()))).formatted(flag());
    return kind < 85
        ? new SimSearch(identity, SimNames.SUFFIX, 2, filter, shown)
        : new SimSearch(identity, container(), random.nextInt(1, 3), filter, shown);
  }

  private SimCompare compare(String identity) {
    return random.nextInt(3) == 0
        ? new SimCompare(identity, group(), SimGroups.MEMBER, person())
        : new SimCompare(identity, person(), SimTree.FLAG, flag());
  }

  private SimChange change() {
    if (fed && random.nextInt(12) == 0) {
      return new SimChange(SimChange.Kind.RENAME, container(), container());
    }
    int kind = random.nextInt(100);
    if (kind < 75) {
      return simple();
    }
    if (kind < 83) {
      return new SimChange(SimChange.Kind.RENAME, person(), person());
    }
    if (kind < 88) {
      return new SimChange(SimChange.Kind.RENAME, container(), container());
    }
    String member = random.nextInt(4) == 0 ? SimNames.CLERK : person();
    boolean joins = random.nextInt(5) < 3;
    SimChange.Kind what = joins ? SimChange.Kind.JOIN : SimChange.Kind.LEAVE;
    return new SimChange(what, group(), member);
  }

  /** Of one entry that keeps its name. */
  private SimChange simple() {
    int kind = random.nextInt(75);
    if (kind < 53) {
      return new SimChange(SimChange.Kind.MODIFY, person(), flag());
    }
    return kind < 65
        ? new SimChange(SimChange.Kind.ADD, person(), flag())
        : new SimChange(SimChange.Kind.DELETE, person(), "");
  }

  /** Some are asked for more often than others. */
  private String person() {
    double drawn = random.nextDouble();
    int which = (int) (SimNames.PEOPLE * drawn * drawn * drawn);
    boolean home = random.nextInt(100) < 92;
    int container =
        home ? which % SimNames.PRESENT_CONTAINERS : random.nextInt(SimNames.CONTAINERS);
    return SimNames.person(which, container);
  }

  private String container() {
    return SimNames.container(random.nextInt(SimNames.CONTAINERS));
  }

  private String group() {
    return SimNames.group(random.nextInt(SimNames.GROUPS));
  }

  private String flag() {
    return SimNames.flag(random.nextInt(3));
  }
}
