// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

/** Who keeps the answer of a view. Thread-safe. */
@FunctionalInterface
public interface ViewListener {
  /** The view is dead, the answer void: called at most once, on any thread; must not block. */
  void killed(View view, InvalidationCause cause);

  /**
   * Whether the answer may be changed in place: only if all to whom it is given see whatever the
   * feed sees there. Nobody is shown what he may not see, as long as that is true.
   */
  default boolean mayAmend() {
    return false;
  }

  /**
   * Something in the answer is otherwise now, and so it is given from now on: on the thread that
   * applies changes; must not block.
   *
   * @return false if that cannot be done, and the answer has stayed as it was
   */
  default boolean amended(View view, EntryUpdate amendment) {
    return false;
  }
}
