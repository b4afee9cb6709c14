// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import java.util.List;

/** A kind of directory that is fuzzed, with the Stoas before it. */
interface SetUp {
  String name();

  /** Who asks; the last one binds again and again. */
  List<Identity> identities();

  List<Vocabulary> vocabularies();

  List<Stoas.Kind> ways();

  /** A smaller set-up that suffices for a script. */
  default SetUp about(List<ScriptStep> script) {
    return this;
  }

  /**
   * Starts the directory in its first state.
   *
   * @param ways the Stoas that are started
   */
  World start(List<Stoas.Kind> ways);
}
