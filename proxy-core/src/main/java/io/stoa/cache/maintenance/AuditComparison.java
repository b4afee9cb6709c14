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
 * Compares one stored result with what the directory answers to the same client now. A difference
 * is no mistake as long as the change may be on its way: so what differs is asked for once more
 * when it must have come, and is wrong only if nothing has moved meanwhile, neither there nor here.
 * Event-loop confined.
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
   * Makes it.
   *
   * @param patienceNanos a change must have taken effect by then
   * @param outcome hears what was found, once
   */
  AuditComparison(
      Place place, ClientSession client, Kept kept, long patienceNanos, Consumer<Outcome> outcome) {
    this.place = place;
    this.client = client;
    this.kept = kept;
    this.patienceNanos = patienceNanos;
    this.outcome = outcome;
  }

  /** What was found. */
  enum Verdict {
    SAME,
    /** The directory was ahead for a moment. */
    BEHIND,
    WRONG,
    UNDECIDED
  }

  /**
   * What was found. Immutable.
   *
   * @param behindNanos for how long the directory was seen to be ahead
   * @param difference what is wrong; null if nothing is
   */
  record Outcome(Verdict verdict, long behindNanos, @Nullable Difference difference) {}

  /**
   * What memory says, and what the directory does. Immutable.
   *
   * @param at when that was seen
   * @param states of the entries that the directory has shown, as far as it has told
   */
  record Difference(long at, Remembered memory, Answers own, Answers there, Map<Uuid, Csn> states) {
    /** Whether nothing has moved since the other was seen. */
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

  /** Whatever goes wrong, the outcome is told: others wait for their turn. */
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
      search.abandon(); // the rules by which it was understood are others now
    }
  }

  /** Of the server that has all changes first, and with the states of entries. */
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

  /** What is in memory, if it is still the same view. */
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

  /** What stands for a state where none is shown is another one whenever less is shown. */
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

  /** It is void now, or cannot be told: that is as it should be if it was behind. */
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

  /** Until what is in memory has moved, or should have. */
  private void watch(Difference seen) {
    long waited = place.now() - seen.at();
    if (waited > patienceNanos) {
      begin();
      return;
    }
    Remembered memory = remembered();
    boolean moved =
        memory == null
            ? seen.memory().view().isDead() // else nobody vouches for it just now
            : !memory.versions().equals(seen.memory().versions());
    if (moved) {
      tell(new Outcome(Verdict.BEHIND, waited, null));
    } else {
      place.loop().schedule(() -> safely(() -> watch(seen)), STEP_MILLIS, TimeUnit.MILLISECONDS);
    }
  }
}
