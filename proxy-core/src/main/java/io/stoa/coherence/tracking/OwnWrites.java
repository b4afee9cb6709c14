// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.operation.ChangeListener;
import io.stoa.operation.OwnChange;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Hears of what was done through Stoa, and has it take effect on all that is kept before its
 * clients are answered: on what rests on its age, at once; on what rests on a feed, as soon as it
 * is known what the directory has made of it. A write voids all that rests on the feeds of its
 * directory if it may change more than its own entry: an overlay or a plugin that Stoa does not
 * know may act, or the entry belongs to the configuration of the server. Thread-safe.
 */
public final class OwnWrites implements ChangeListener {
  private final ChangeListener aged;
  private final Supplier<CoherenceDomains> realms;
  private final Consumer<OwnChange> ended;

  /**
   * Makes it.
   *
   * @param aged makes void what rests on its age; it answers at once
   * @param ended is told of each write that was answered, or given up
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
      realms.all().forEach(ground -> ground.horizon().revoked()); // also of what is below elsewhere
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
   * A write may have changed other entries, and anybody's rights.
   *
   * @param outside whether its entry lies where no feed tells of it, as the server's configuration
   *     and schema do: then it is not known any more what later writes change
   */
  private static void unconfine(FeedCoverage ground, boolean outside) {
    ground.horizon().revoked();
    if (outside) {
      ground.horizon().doubt();
    }
  }

  /** What happens later the feed tells; nobody has been told that it has happened. */
  @Override
  public void outcomeUnknown(List<OwnChange> changes) {
    changes.forEach(ended);
    aged.outcomeUnknown(changes);
    take(changes, () -> {});
  }
}
