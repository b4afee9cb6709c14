// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import java.util.List;

/**
 * Receives changes before the clients that made them are answered.
 *
 * <p>Threading: thread-safe.
 */
public interface ChangeListener {
  /**
   * Called when the server has answered: the changes have taken effect, or have not and will not.
   *
   * @param applied run once, on any thread, perhaps at once, when no result that the changes made
   *     wrong is served any more; then the clients may be answered
   */
  void onChanges(List<OwnChange> changes, Runnable applied);

  /**
   * Called when the outcome is unknown and the server will not report it. The changes may take
   * effect at any time.
   */
  void onUnknownOutcome(List<OwnChange> changes);
}
