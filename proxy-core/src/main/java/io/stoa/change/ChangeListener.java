// SPDX-License-Identifier: Apache-2.0
package io.stoa.change;

/** Hears of changes before the client that made them is answered. Thread-safe. */
public interface ChangeListener {
  /** The server has answered: the change has taken effect, or has not and will not. */
  void changed(OwnChange change);

  /** The server will not be heard of it again: the change may take effect at any moment. */
  void outcomeUnknown(OwnChange change);
}
