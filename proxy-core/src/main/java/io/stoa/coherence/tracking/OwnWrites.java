// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.operation.ChangeListener;
import io.stoa.operation.OwnChange;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Applies writes through Stoa to all stored results before their clients are answered.
 *
 * <ol>
 *   <li>Results bounded by their age are invalidated at once.
 *   <li>Results held by a feed are invalidated or updated once the new state of the entry is known.
 *   <li>If the write may change more than its own entry, all results held by the feeds of its
 *       directory are invalidated. This is so if an unknown overlay or plugin may act, or if the
 *       entry belongs to the configuration of the server.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class OwnWrites implements ChangeListener {
  private final ChangeListener aged;
  private final Supplier<CoherenceDomains> realms;
  private final Consumer<OwnChange> ended;

  /**
   * Makes the listener.
   *
   * @param aged invalidates results bounded by their age; completes at once
   * @param ended called for each write that was answered or given up
   */
  public OwnWrites(
      ChangeListener aged, Supplier<CoherenceDomains> realms, Consumer<OwnChange> ended) {
    this.ended = ended;
    this.aged = aged;
    this.realms = realms;
  }

  @Override
  public void changed(List<OwnChange> changes, Runnable applied) {
    changes.forEach(ended);
    take(changes, applied);
  }

  private void take(List<OwnChange> changes, Runnable applied) {
    CoherenceDomains now = realms.get();
    if (now == CoherenceDomains.NONE) {
      aged.changed(changes, applied);
      return;
    }
    aged.changed(changes, () -> {});
    AtomicInteger open = new AtomicInteger(1);
    Runnable one =
        () -> {
          if (open.decrementAndGet() == 0) {
            applied.run();
          }
        };
    for (OwnChange change : changes) {
      tell(now, change, open, one);
    }
    one.run();
  }

  static void tell(
      CoherenceDomains realms, OwnChange change, AtomicInteger open, Runnable told) {
    if (change.refused()) {
      return;
    }
    if (change.rights()) {
      realms.all().forEach(ground -> ground.horizon().revoked()); // also in other contexts
    }
    FeedCoverage home = change.entry() == null ? null : realms.of(change.entry());
    boolean contained = home != null && home.isContained();
    for (FeedCoverage ground : realms.writtenBy(change)) {
      boolean precise = contained && ground.isContained();
      boolean own = home != null && home.realm() == ground.realm();
      if (own || !precise) {
        open.incrementAndGet();
        byte[] entry = own && precise ? change.entry() : null;
        if (entry == null) {
          unconfine(ground, home == null);
        }
        new OwnWrite(ground, change, told).begin(entry);
      }
    }
  }

  /**
   * Moves the rights watermark: a write may have changed other entries, and the rights of any
   * client.
   *
   * @param outside true if the entry is in no naming context with a feed, as the server's
   *     configuration and schema are; then the effects of later writes are not known either
   */
  private static void unconfine(FeedCoverage ground, boolean outside) {
    ground.horizon().revoked();
    if (outside) {
      ground.horizon().doubt();
    }
  }

  /**
   * Handles writes without a known result. The feed reports what happens later; no client was
   * notified of a success.
   */
  @Override
  public void outcomeUnknown(List<OwnChange> changes) {
    changes.forEach(ended);
    aged.outcomeUnknown(changes);
    take(changes, () -> {});
  }
}
