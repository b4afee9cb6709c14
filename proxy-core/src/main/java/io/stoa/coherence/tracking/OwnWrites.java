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
  private final ChangeListener ageListener;
  private final Supplier<CoherenceDomains> domains;
  private final Consumer<OwnChange> endListener;

  /**
   * Makes the listener.
   *
   * @param ageListener invalidates results bounded by their age; completes at once
   * @param endListener called for each write that was answered or given up
   */
  public OwnWrites(
      ChangeListener ageListener,
      Supplier<CoherenceDomains> domains,
      Consumer<OwnChange> endListener) {
    this.endListener = endListener;
    this.ageListener = ageListener;
    this.domains = domains;
  }

  @Override
  public void onChanges(List<OwnChange> changes, Runnable onApplied) {
    changes.forEach(endListener);
    applyAll(changes, onApplied);
  }

  private void applyAll(List<OwnChange> changes, Runnable onApplied) {
    CoherenceDomains currentDomains = domains.get();
    if (currentDomains == CoherenceDomains.NONE) {
      ageListener.onChanges(changes, onApplied);
      return;
    }
    ageListener.onChanges(changes, () -> {});
    AtomicInteger open = new AtomicInteger(1);
    Runnable callback =
        () -> {
          if (open.decrementAndGet() == 0) {
            onApplied.run();
          }
        };
    for (OwnChange change : changes) {
      apply(currentDomains, change, open, callback);
    }
    callback.run();
  }

  static void apply(
      CoherenceDomains domains, OwnChange change, AtomicInteger open, Runnable callback) {
    if (change.refused()) {
      return;
    }
    if (change.rights()) {
      domains
          .all()
          .forEach(coverage -> coverage.watermark().onRightsChange()); // also in other contexts
    }
    FeedCoverage entryCoverage = change.entry() == null ? null : domains.coverageOf(change.entry());
    boolean contained = entryCoverage != null && entryCoverage.isContained();
    for (FeedCoverage coverage : domains.writtenBy(change)) {
      boolean precise = contained && coverage.isContained();
      boolean isEntryDomain = entryCoverage != null && entryCoverage.domain() == coverage.domain();
      if (isEntryDomain || !precise) {
        open.incrementAndGet();
        byte[] entry = isEntryDomain && precise ? change.entry() : null;
        if (entry == null) {
          revokeRights(coverage, entryCoverage == null);
        }
        new OwnWrite(coverage, change, callback).begin(entry);
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
  private static void revokeRights(FeedCoverage coverage, boolean outside) {
    coverage.watermark().onRightsChange();
    if (outside) {
      coverage.watermark().onConfigDoubt();
    }
  }

  /**
   * Handles writes without a known result. The feed reports what happens later; no client was
   * notified of a success.
   */
  @Override
  public void onUnknownOutcome(List<OwnChange> changes) {
    changes.forEach(endListener);
    ageListener.onUnknownOutcome(changes);
    applyAll(changes, () -> {});
  }
}
