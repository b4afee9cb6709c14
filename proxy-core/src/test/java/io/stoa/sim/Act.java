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
  default String told() {
    return "%d at %.3f s: ".formatted(number(), at() / 1e9);
  }

  /** A client asks. */
  record Ask(int number, long at, int client, Question question) implements Act {
    @Override
    public String toString() {
      return told() + "client %d %s".formatted(client, question);
    }
  }

  /** A client writes. */
  record Tell(int number, long at, int client, SimChange change) implements Act {
    @Override
    public String toString() {
      return told() + "client %d %s".formatted(client, change);
    }
  }

  /**
   * A client gives a container another name, one that is free, and as soon as it has it somebody
   * else takes away what is in it.
   */
  record Empty(int number, long at, int client, int which) implements Act {
    @Override
    public String toString() {
      return told() + "client %d renames container %d, which is emptied".formatted(client, which);
    }
  }

  /** Whoever has done an earlier act does not want its answer any more. */
  record Abandon(int number, long at, int earlier) implements Act {
    @Override
    public String toString() {
      return told() + "abandon " + earlier;
    }
  }

  /** Somebody writes to the directory itself. */
  record Round(int number, long at, SimChange change) implements Act {
    @Override
    public String toString() {
      return told() + "round " + change;
    }
  }

  /** The same of changes that belong together. */
  record Transaction(int number, long at, List<SimChange> changes, boolean abort) implements Act {
    @Override
    public String toString() {
      return told() + (abort ? "aborted " : "together ") + changes;
    }
  }

  /** Other access rules hold. */
  record Rule(int number, long at, int variant) implements Act {
    @Override
    public String toString() {
      return told() + "access rules " + variant;
    }
  }

  /** Somebody who runs Stoa does something to its memory. */
  record Steer(int number, long at, What what, String dn) implements Act {
    /** What is done. */
    enum What {
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
      return told() + what + " " + dn;
    }
  }
}
