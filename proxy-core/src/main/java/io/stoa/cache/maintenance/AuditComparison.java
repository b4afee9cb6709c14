// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import io.stoa.cache.result.CacheStage.Remembered;
import io.stoa.cache.result.Caches.Kept;
import io.stoa.coherence.tracking.FeedCoverage;
import io.stoa.coherence.tracking.VersionedSearch;
import io.stoa.coherence.tracking.VersionedSearch.Version;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.filter.Answers;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.operation.ClientSession;
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

  private final Place place;
  private final ClientSession client;
  private final Kept kept;
  private final long patienceNanos;
  private final Consumer<Outcome> outcome;
  private @Nullable Difference first;
  private boolean told;

  /**
   * Creates a comparison.
   *
   * @param patienceNanos time by which a change must have taken effect
   * @param outcome called once with the outcome
   */
  AuditComparison(
      Place place, ClientSession client, Kept kept, long patienceNanos, Consumer<Outcome> outcome) {
    this.place = place;
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
  record Outcome(Verdict verdict, long behindNanos, @Nullable Difference difference) {}

  /**
   * A stored result and the directory's different answer.
   *
   * <p>Threading: immutable.
   *
   * @param at time at which the difference was seen
   * @param states states of the entries that the directory returned, as far as shown
   */
  record Difference(long at, Remembered memory, Answers own, Answers there, Map<Uuid, Csn> states) {
    /** True if both sides are the same as in an earlier difference. */
    boolean isStill(Difference earlier) {
      return memory.view() == earlier.memory.view()
          && memory.versions().equals(earlier.memory.versions())
          && own.equals(earlier.own)
          && there.equals(earlier.there);
    }
  }

  void begin() {
    safely(this::look);
  }

  /** Reports an outcome even after an unexpected error, since other audits wait for it. */
  private void safely(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.error("a stored result cannot be compared", e);
      undecided();
    }
  }

  private void tell(Outcome what) {
    if (!told) {
      told = true;
      outcome.accept(what);
    }
  }

  private void look() {
    Remembered memory = Place.isFree(client) ? remembered() : null;
    if (memory == null) {
      stopped();
      return;
    }
    List<VersionedSearch> versions = new ArrayList<>(1);
    Operation search =
        place.operation(
            client,
            kept.request(),
            own -> new ResponseCollector(own, there -> safely(() -> answered(there, versions))));
    try {
      ask(search, versions);
    } catch (LdapProtocolException e) {
      search.abandon(); // the rules changed since the request was decoded
    }
  }

  /**
   * Sends the search to the server that has all changes first, and requests the states of entries.
   */
  private void ask(Operation search, List<VersionedSearch> versions) throws LdapProtocolException {
    FeedCoverage ground = place.ground(search);
    if (ground == null || !(search.request().op() instanceof SearchOp op)) {
      search.abandon();
      return;
    }
    search.oneServer();
    versions.add(
        VersionedSearch.begin(
            search, op, ground.derived(), ground.realm().kind(), Operation::abandon));
    place.stage().ask(search);
  }

  private void undecided() {
    tell(new Outcome(Verdict.UNDECIDED, 0, null));
  }

  /** Returns the stored result if it is still the same view, or null. */
  private @Nullable Remembered remembered() {
    Operation look = place.operation(client, kept.request(), ResponseCollector::nothing);
    try {
      Remembered memory = place.stage().remembered(look);
      return memory != null && memory.view() == kept.view() ? memory : null;
    } catch (LdapProtocolException e) {
      return null;
    } finally {
      look.abandon();
    }
  }

  private void answered(@Nullable Answers there, List<VersionedSearch> versions) {
    Remembered memory = there == null ? null : remembered();
    Answers own = memory == null ? null : answers(memory);
    if (there == null || memory == null || own == null) {
      stopped();
    } else if (own.equals(there)) {
      same();
    } else {
      differs(new Difference(place.now(), memory, own, there, states(versions)));
    }
  }

  private static @Nullable Answers answers(Remembered memory) {
    try {
      return Answers.of(LdapResult.codeOf(memory.done()), memory.entries());
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

  private void same() {
    Difference before = first;
    tell(
        before == null
            ? new Outcome(Verdict.SAME, 0, null)
            : new Outcome(Verdict.BEHIND, place.now() - before.at(), null));
  }

  /**
   * Ends a comparison that cannot go on. An invalidated result that differed before was only
   * behind.
   */
  private void stopped() {
    Difference before = first;
    if (before == null || !before.memory().view().isDead()) {
      undecided();
    } else {
      tell(new Outcome(Verdict.BEHIND, place.now() - before.at(), null));
    }
  }

  private void differs(Difference now) {
    Difference before = first;
    if (before == null) {
      first = now;
      watch(now);
    } else if (now.isStill(before)) {
      tell(new Outcome(Verdict.WRONG, now.at() - before.at(), now));
    } else {
      undecided();
    }
  }

  /** Waits until the stored result has changed, or should have changed. */
  private void watch(Difference seen) {
    long waited = place.now() - seen.at();
    if (waited > patienceNanos) {
      begin();
      return;
    }
    Remembered memory = remembered();
    boolean moved =
        memory == null
            ? seen.memory().view().isDead() // otherwise no feed holds it at this moment
            : !memory.versions().equals(seen.memory().versions());
    if (moved) {
      tell(new Outcome(Verdict.BEHIND, waited, null));
    } else {
      place.loop().schedule(() -> safely(() -> watch(seen)), STEP_MILLIS, TimeUnit.MILLISECONDS);
    }
  }
}
