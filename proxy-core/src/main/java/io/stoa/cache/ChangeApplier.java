// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.change.Change;
import io.stoa.change.ChangeListener;
import java.time.Duration;

/**
 * Lets changes take effect on the caches. Any change ends all that is stored: an overlay of the
 * directory (memberOf, referential integrity, dynamic lists) may have changed any other entry, in
 * any naming context. A change whose outcome is unknown may happen a moment later, so that for a
 * while nothing is stored either. Thread-safe.
 */
public final class ChangeApplier implements ChangeListener {
  private final Validity validity;
  private final long pauseNanos;

  ChangeApplier(Validity validity, Duration pause) {
    this.validity = validity;
    this.pauseNanos = pause.toNanos();
  }

  @Override
  public void changed(Change change) {
    validity.end();
  }

  @Override
  public void outcomeUnknown(Change change) {
    validity.suspend(System.nanoTime() + pauseNanos);
  }
}
