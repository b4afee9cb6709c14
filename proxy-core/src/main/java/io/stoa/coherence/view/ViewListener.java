// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

/**
 * Listener of the stored result that owns a view.
 *
 * <p>Threading: thread-safe.
 */
@FunctionalInterface
public interface ViewListener {
  /** Called when the view is invalidated, at most once, on any thread. Must not block. */
  void onInvalidated(View view, InvalidationCause cause);

  /**
   * True if the result may be updated in place. All clients that receive it must then be allowed to
   * see whatever the feed's account sees there.
   */
  default boolean mayUpdateInPlace() {
    return false;
  }

  /**
   * Called when an entry of the result changes in place, on the thread that applies changes. Must
   * not block.
   *
   * @return false if the result cannot be updated and has stayed as it was
   */
  default boolean onUpdated(View view, EntryUpdate update) {
    return false;
  }
}
