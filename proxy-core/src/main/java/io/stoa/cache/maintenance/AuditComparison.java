// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import io.stoa.cache.result.CacheStage.HeldAnswer;
import io.stoa.cache.result.Caches.CachedResultRef;
import io.stoa.coherence.tracking.FeedCoverage;
import io.stoa.coherence.tracking.VersionedSearch;
import io.stoa.coherence.tracking.VersionedSearch.Version;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.operation.ClientSession;
import io.stoa.operation.MalformedRequestException;
import io.stoa.operation.Operation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares one stored result with what the directory now answers the same client.
 *
 * <p>A difference is no error while the change may still be on its way. So a result that differs is
 * read again after the staleness bound. The result is wrong only if neither side has changed in
 * between.
 *
 * <p>Threading: event-loop confined.
 */
final class AuditComparison {
  private static final Logger LOG = LoggerFactory.getLogger(AuditComparison.class);
  private static final long STEP_MILLIS = 10;

  private final MaintenanceLoop maintenanceLoop;
  private final ClientSession client;
  private final CachedResultRef kept;
  private final long patienceNanos;
  private final Consumer<ComparisonOutcome> outcome;
  private @Nullable Difference first;
  private boolean reported;

  /**
   * Creates a comparison.
   *
   * @param patienceNanos time by which a change must have taken effect
   * @param outcome called once with the outcome
   */
  AuditComparison(
      MaintenanceLoop maintenanceLoop,
      ClientSession client,
      CachedResultRef kept,
      long patienceNanos,
      Consumer<ComparisonOutcome> outcome) {
    this.maintenanceLoop = maintenanceLoop;
    this.client = client;
    this.kept = kept;
    this.patienceNanos = patienceNanos;
    this.outcome = outcome;
  }

  /** Verdict of a comparison. */
  enum Verdict {
    SAME,
    /** The directory was ahead for a moment. */
    BEHIND,
    WRONG,
    UNDECIDED
  }

  /**
   * Outcome of a comparison.
   *
   * <p>Threading: immutable.
   *
   * @param behindNanos time for which the directory was seen to be ahead
   * @param difference the difference; null unless the result is wrong
   */
  record ComparisonOutcome(Verdict verdict, long behindNanos, @Nullable Difference difference) {}

  /**
   * A stored result and the directory's different answer.
   *
   * <p>Threading: immutable.
   *
   * @param at time at which the difference was seen
   * @param states states of the entries that the directory returned, as far as shown
   */
  record Difference(
      long at,
      HeldAnswer memory,
      ResponseContents own,
      ResponseContents there,
      Map<Uuid, Csn> states) {
    /** True if both sides are the same as in an earlier difference. */
    boolean isUnchangedSince(Difference earlier) {
      return memory.view() == earlier.memory.view()
          && memory.versions().equals(earlier.memory.versions())
          && own.equals(earlier.own)
          && there.equals(earlier.there);
    }
  }

  void begin() {
    safely(this::compare);
  }

  /** Reports an outcome even after an unexpected error, since other audits wait for it. */
  private void safely(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.error("internal error while auditing a stored result; the audit was skipped", e);
      onUndecided();
    }
  }

  private void report(ComparisonOutcome what) {
    if (!reported) {
      reported = true;
      outcome.accept(what);
    }
  }

  private void compare() {
    HeldAnswer memory = MaintenanceLoop.isUsable(client) ? heldAnswer() : null;
    if (memory == null) {
      onStopped();
      return;
    }
    List<VersionedSearch> versions = new ArrayList<>(1);
    Operation search =
        maintenanceLoop.operation(
            client, kept.request(), there -> safely(() -> onAnswer(there, versions)));
    try {
      ask(search, versions);
    } catch (MalformedRequestException e) {
      search.abandon(); // the rules changed since the request was decoded
    }
  }

  /**
   * Sends the search to the server that has all changes first, and requests the states of entries.
   */
  private void ask(Operation search, List<VersionedSearch> versions) {
    FeedCoverage coverage = maintenanceLoop.coverage(search);
    if (coverage == null || !(search.request().op() instanceof SearchOp op)) {
      search.abandon();
      return;
    }
    search.requireOneServer();
    versions.add(
        VersionedSearch.begin(
            search, op, coverage.derived(), coverage.domain().kind(), Operation::abandon));
    maintenanceLoop.stage().sendUpstream(search);
  }

  private void onUndecided() {
    report(new ComparisonOutcome(Verdict.UNDECIDED, 0, null));
  }

  /** Returns the stored result if it is still the same view, or null. */
  private @Nullable HeldAnswer heldAnswer() {
    Operation look = maintenanceLoop.operation(client, kept.request());
    try {
      HeldAnswer memory = maintenanceLoop.stage().peekHeldByFeed(look);
      return memory != null && memory.view() == kept.view() ? memory : null;
    } catch (MalformedRequestException e) {
      return null;
    } finally {
      look.abandon();
    }
  }

  private void onAnswer(@Nullable ResponseContents there, List<VersionedSearch> versions) {
    HeldAnswer memory = there == null ? null : heldAnswer();
    ResponseContents own = memory == null ? null : answers(memory);
    if (there == null || memory == null || own == null) {
      onStopped();
    } else if (own.equals(there)) {
      onSame();
    } else {
      onDifference(new Difference(maintenanceLoop.now(), memory, own, there, states(versions)));
    }
  }

  private static @Nullable ResponseContents answers(HeldAnswer memory) {
    try {
      return ResponseContents.of(LdapResult.codeOf(memory.done()), memory.entries());
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  /**
   * Returns the states of the entries. Without a state attribute there are none: the substitute
   * depends on the returned attributes.
   */
  private static Map<Uuid, Csn> states(List<VersionedSearch> searches) {
    Map<Uuid, Csn> states = new HashMap<>();
    for (VersionedSearch search : searches.stream().filter(VersionedSearch::showsStates).toList()) {
      for (Version version : search.versions()) {
        Uuid uuid = version.uuid() == null ? null : Uuid.parse(version.uuid());
        Csn csn = version.csn() == null ? null : Csn.parse(version.csn());
        if (uuid != null && csn != null) {
          states.put(uuid, csn);
        }
      }
    }
    return states;
  }

  private void onSame() {
    Difference before = first;
    report(
        before == null
            ? new ComparisonOutcome(Verdict.SAME, 0, null)
            : new ComparisonOutcome(Verdict.BEHIND, maintenanceLoop.now() - before.at(), null));
  }

  /**
   * Ends a comparison that cannot go on. An invalidated result that differed before was only
   * behind.
   */
  private void onStopped() {
    Difference before = first;
    if (before == null || !before.memory().view().isInvalid()) {
      onUndecided();
    } else {
      report(new ComparisonOutcome(Verdict.BEHIND, maintenanceLoop.now() - before.at(), null));
    }
  }

  private void onDifference(Difference now) {
    Difference before = first;
    if (before == null) {
      first = now;
      awaitChange(now);
    } else if (now.isUnchangedSince(before)) {
      report(new ComparisonOutcome(Verdict.WRONG, now.at() - before.at(), now));
    } else {
      onUndecided();
    }
  }

  /** Waits until the stored result has changed, or should have changed. */
  private void awaitChange(Difference seen) {
    long waited = maintenanceLoop.now() - seen.at();
    if (waited > patienceNanos) {
      begin();
      return;
    }
    HeldAnswer memory = heldAnswer();
    boolean moved =
        memory == null
            ? seen.memory().view().isInvalid() // otherwise no feed holds it at this moment
            : !memory.versions().equals(seen.memory().versions());
    if (moved) {
      report(new ComparisonOutcome(Verdict.BEHIND, waited, null));
    } else {
      maintenanceLoop
          .loop()
          .schedule(() -> safely(() -> awaitChange(seen)), STEP_MILLIS, TimeUnit.MILLISECONDS);
    }
  }
}
