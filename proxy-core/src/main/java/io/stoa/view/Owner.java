// SPDX-License-Identifier: Apache-2.0
package io.stoa.view;

/** Who keeps the answer of a view. Thread-safe. */
@FunctionalInterface
public interface Owner {
  /** The view is dead, the answer void: called at most once, on any thread; must not block. */
  void killed(View view, KillCause cause);
}
