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
  private final CachedResultRef result;
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
      CachedResultRef result,
      long patienceNanos,
      Consumer<ComparisonOutcome> outcome) {
    this.maintenanceLoop = maintenanceLoop;
    this.client = client;
    this.result = result;
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
  private void safely(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      LOG.error("internal error while auditing a stored result; the audit was skipped", e);
      onUndecided();
    }
  }

  private void report(ComparisonOutcome comparisonOutcome) {
    if (!reported) {
      reported = true;
      outcome.accept(comparisonOutcome);
    }
  }

  private void compare() {
    HeldAnswer heldAnswer = MaintenanceLoop.isUsable(client) ? heldAnswer() : null;
    if (heldAnswer == null) {
      onStopped();
      return;
    }
    List<VersionedSearch> versions = new ArrayList<>(1);
    Operation search =
        maintenanceLoop.operation(
            client, result.request(), upstream -> safely(() -> onAnswer(upstream, versions)));
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
    Operation search = maintenanceLoop.operation(client, result.request());
    try {
      HeldAnswer heldAnswer = maintenanceLoop.stage().peekHeldByFeed(search);
      return heldAnswer != null && heldAnswer.view() == result.view() ? heldAnswer : null;
    } catch (MalformedRequestException e) {
      return null;
    } finally {
      search.abandon();
    }
  }

  private void onAnswer(@Nullable ResponseContents upstream, List<VersionedSearch> versions) {
    HeldAnswer heldAnswer = upstream == null ? null : heldAnswer();
    ResponseContents stored = heldAnswer == null ? null : answers(heldAnswer);
    if (upstream == null || heldAnswer == null || stored == null) {
      onStopped();
    } else if (stored.equals(upstream)) {
      onSame();
    } else {
      onDifference(
          new Difference(maintenanceLoop.now(), heldAnswer, stored, upstream, states(versions)));
    }
  }

  private static @Nullable ResponseContents answers(HeldAnswer heldAnswer) {
    try {
      return ResponseContents.of(LdapResult.codeOf(heldAnswer.done()), heldAnswer.entries());
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

  private void onDifference(Difference difference) {
    Difference before = first;
    if (before == null) {
      first = difference;
      awaitChange(difference);
    } else if (difference.isUnchangedSince(before)) {
      report(new ComparisonOutcome(Verdict.WRONG, difference.at() - before.at(), difference));
    } else {
      onUndecided();
    }
  }

  /** Waits until the stored result has changed, or should have changed. */
  private void awaitChange(Difference difference) {
    long waited = maintenanceLoop.now() - difference.at();
    if (waited > patienceNanos) {
      begin();
      return;
    }
    HeldAnswer heldAnswer = heldAnswer();
    boolean changed =
        heldAnswer == null
            ? difference.memory().view().isInvalid() // otherwise no feed holds it at this moment
            : !heldAnswer.versions().equals(difference.memory().versions());
    if (changed) {
      report(new ComparisonOutcome(Verdict.BEHIND, waited, null));
    } else {
      maintenanceLoop
          .loop()
          .schedule(
              () -> safely(() -> awaitChange(difference)), STEP_MILLIS, TimeUnit.MILLISECONDS);
    }
  }
}
