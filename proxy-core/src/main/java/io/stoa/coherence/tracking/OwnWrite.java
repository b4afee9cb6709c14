// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.coherence.invalidation.DomainState;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.Change.Unknown;
import io.stoa.feed.event.PrivilegedReader.Search;
import io.stoa.feed.event.RightsAttributes;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.operation.OwnChange;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One write through Stoa, from its response until it is applied.
 *
 * <ol>
 *   <li>The entry is read as the feed's identity from the server that executed the write, to learn
 *       its new state.
 *   <li>If that fails or takes longer than 250 ms, everything that the write may concern is
 *       invalidated.
 *   <li>If the domain's thread has not applied that within another 250 ms, all results of the
 *       domain are invalidated.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
final class OwnWrite {
  /** Maximum time for the read of the entry, and once more for the domain's thread: 250 ms each. */
  private static final long TIMEOUT_MILLIS = 250;

  private static final int BASE = 0;
  private static final byte[] ANYTHING = "(objectClass=*)".getBytes(StandardCharsets.US_ASCII);
  private static final String ENTRY_CSN = "entryCSN";

  private final FeedCoverage coverage;
  private final OwnChange change;
  private final Runnable onApplied;
  private final AtomicBoolean handedOver = new AtomicBoolean();
  private final AtomicBoolean completed = new AtomicBoolean();

  /**
   * Makes a write to be applied.
   *
   * @param onApplied run once, on any thread
   */
  OwnWrite(FeedCoverage coverage, OwnChange change, Runnable onApplied) {
    this.coverage = coverage;
    this.change = change;
    this.onApplied = onApplied;
  }

  /**
   * Begins.
   *
   * @param entry the entry that was written; null if it may have been any
   */
  void begin(byte @Nullable [] entry) {
    try {
      if (coverage.domain().isEmpty()) {
        complete(); // later reads include the write
      }
      if (entry == null) {
        schedule(() -> onFirstTimeout(null));
        invalidateAround(null);
      } else {
        beginEntry(entry);
      }
    } catch (RejectedExecutionException e) {
      complete(); // the domain has ended with all its results
    }
  }

  private void complete() {
    if (completed.compareAndSet(false, true)) {
      onApplied.run();
    }
  }

  private void schedule(Runnable task) {
    coverage.loop().schedule(task, TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void beginEntry(byte[] entry) {
    NormalDn name = coverage.name(entry);
    ModifyDnOp rename = change.rename();
    NormalDn place = rename == null ? name : null;
    schedule(() -> onFirstTimeout(place));
    byte[] currentName = rename == null ? entry : EntryNames.renamed(entry, rename);
    if (coverage.domain().state() != DomainState.LIVE) {
      invalidateAround(place); // the feed may resume before it reports the write
    } else if (change.cause() == OpType.DELETE_REQUEST) {
      handOver(new Deleted(null, name, receipt(null, false)));
    } else if (currentName == null || !coverage.domain().isFeedServer(server())) {
      invalidateAround(place);
    } else {
      read(currentName, name, place);
    }
  }

  private @Nullable Object server() {
    return change.server() == null ? coverage.onlyServer() : change.server();
  }

  private void read(byte[] currentName, NormalDn name, @Nullable NormalDn place) {
    coverage
        .domain()
        .context()
        .reader()
        .search(
            new Search(currentName, BASE, ANYTHING, List.of("*", "+")),
            found -> onFound(found, name, place),
            why -> invalidateAround(place));
  }

  private void onFound(List<SearchEntry> found, NormalDn name, @Nullable NormalDn place) {
    Change known = found.size() == 1 ? change(found.get(0), place == null ? name : null) : null;
    if (known == null) {
      invalidateAround(place);
    } else {
      handOver(known);
    }
  }

  private @Nullable Change change(SearchEntry entry, @Nullable NormalDn old) {
    byte[] text = entry.only(coverage.domain().kind().uuidAttribute());
    Uuid uuid = text == null ? null : Uuid.parse(text);
    if (uuid == null) {
      return null;
    }
    byte[] state = entry.only(ENTRY_CSN);
    Image image = Image.of(entry, true, coverage.profile());
    boolean rights = change.cause() == OpType.ADD_REQUEST && RightsAttributes.hasAccessRule(entry);
    Receipt receipt = receipt(state == null ? null : Csn.parse(state), rights);
    return old == null
        ? new Modified(uuid, image.dn(), image, receipt)
        : new Renamed(uuid, old, image.dn(), image.isLeaf(), image, receipt);
  }

  /** Invalidates everything at or below a place, or everything if there is no place. */
  private void invalidateAround(@Nullable NormalDn place) {
    handOver(new Unknown(place, receipt(null, false)));
  }

  private Receipt receipt(@Nullable Csn csn, boolean rights) {
    long now = coverage.domain().context().clock().getAsLong();
    return new Receipt(csn, null, now, Reporter.OWN_WRITE, rights);
  }

  private void handOver(Change known) {
    if (handedOver.compareAndSet(false, true)) {
      try {
        coverage.domain().applyOwnWrite(known, this::complete);
      } catch (RejectedExecutionException e) {
        complete(); // the domain has ended
      }
    }
  }

  /**
   * Called after the first time-out: the entry was not read, or the domain has not applied the
   * write.
   */
  private void onFirstTimeout(@Nullable NormalDn place) {
    if (!completed.get()) {
      schedule(() -> onSecondTimeout(place));
    }
    invalidateAround(place);
  }

  /**
   * Called after the second time-out: the domain's thread is blocked or overloaded. A read that it
   * accepts later may come from a server that lacks this write.
   */
  private void onSecondTimeout(@Nullable NormalDn place) {
    try {
      if (!completed.get()) {
        if (!coverage.domain().isEmpty()) {
          coverage.domain().flushOverloaded();
        }
        coverage.domain().applyOwnWrite(new Unknown(place, receipt(null, false)), () -> {});
      }
    } finally {
      complete();
    }
  }
}
