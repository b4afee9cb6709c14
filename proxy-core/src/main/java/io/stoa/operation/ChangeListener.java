// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import java.util.List;

/** Hears of changes before the clients that made them are answered. Thread-safe. */
public interface ChangeListener {
  /**
   * The server has answered: the changes have taken effect, or have not and will not.
   *
   * @param applied is run once, on any thread, perhaps at once, when nothing is served any more
   *     that they have made wrong; then the clients may be answered
   */
  void changed(List<OwnChange> changes, Runnable applied);

  /** The server will not be heard of them again: they may take effect at any moment. */
  void outcomeUnknown(List<OwnChange> changes);
}
