// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

/** What is done at one time in a history. Immutable. */
sealed interface Act {
  /** Which it is. */
  int number();

  /** When it is done, from the beginning. */
  long at();

  /** A client asks. */
  record Ask(int number, long at, int client, SimSearch search) implements Act {
    @Override
    public String toString() {
      return "%d at %.3f s: client %d %s".formatted(number, at / 1e9, client, search);
    }
  }

  /** A client writes. */
  record Tell(int number, long at, int client, SimChange change) implements Act {
    @Override
    public String toString() {
      return "%d at %.3f s: client %d %s".formatted(number, at / 1e9, client, change);
    }
  }

  /** Somebody writes to the directory itself. */
  record Round(int number, long at, SimChange change) implements Act {
    @Override
    public String toString() {
      return "%d at %.3f s: round %s".formatted(number, at / 1e9, change);
    }
  }
}
