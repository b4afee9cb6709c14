// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import java.util.List;

/** What is done at one time in a history. Immutable. */
sealed interface Act {
  /** Which it is. */
  int number();

  /** When it is done, from the beginning. */
  long at();

  /** What a person wants to know of it. */
  default String prefix() {
    return "%d at %.3f s: ".formatted(number(), at() / 1e9);
  }

  /** A client asks. */
  record ClientRead(int number, long at, int client, SimRequest question) implements Act {
    @Override
    public String toString() {
      return prefix() + "client %d %s".formatted(client, question);
    }
  }

  /** A client writes. */
  record ClientWrite(int number, long at, int client, SimChange change) implements Act {
    @Override
    public String toString() {
      return prefix() + "client %d %s".formatted(client, change);
    }
  }

  /**
   * A client gives a container another name, one that is free, and as soon as it has it somebody
   * else takes away what is in it.
   */
  record RenameAndEmpty(int number, long at, int client, int which) implements Act {
    @Override
    public String toString() {
      return prefix() + "client %d renames container %d, which is emptied".formatted(client, which);
    }
  }

  /** Whoever has done an earlier act does not want its answer any more. */
  record Abandon(int number, long at, int earlier) implements Act {
    @Override
    public String toString() {
      return prefix() + "abandon " + earlier;
    }
  }

  /** Somebody writes to the directory itself. */
  record DirectWrite(int number, long at, SimChange change) implements Act {
    @Override
    public String toString() {
      return prefix() + "round " + change;
    }
  }

  /** The same of changes that belong together. */
  record Transaction(int number, long at, List<SimChange> changes, boolean abort) implements Act {
    @Override
    public String toString() {
      return prefix() + (abort ? "aborted " : "together ") + changes;
    }
  }

  /** Other access rules hold. */
  record RuleChange(int number, long at, int variant) implements Act {
    @Override
    public String toString() {
      return prefix() + "access rules " + variant;
    }
  }

  /** Somebody who runs Stoa does something to its memory. */
  record Administration(int number, long at, Action action, String dn) implements Act {
    /** What is done. */
    enum Action {
      FLUSH,
      FLUSH_SUBTREE,
      FLUSH_IDENTITY,
      /** There is room for a few results only. */
      SHRINK,
      /** There is room again. */
      GROW,
      /** The schema is another one, which says the same. */
      SCHEMA
    }

    @Override
    public String toString() {
      return prefix() + action + " " + dn;
    }
  }
}
