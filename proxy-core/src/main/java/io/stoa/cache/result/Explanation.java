// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.ldap.protocol.Control;
import io.stoa.operation.ClientIdentity;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Explains whether a search would be a hit now, and why. The explanation is collected during a
 * lookup that leaves no trace.
 *
 * <p>Threading: confined to the thread of the lookup, then immutable.
 */
public final class Explanation extends Lookup.LookupListener {
  private final Set<Reason> reasons = EnumSet.noneOf(Reason.class);
  private Answer answer = Answer.BYPASS;
  private OptionalLong oldest = OptionalLong.empty();
  private long now;
  private long latest;
  private int entries = -1;
  private boolean heldByFeed;

  /**
   * A search to be explained. Threading: immutable while its octets are not modified.
   *
   * @param op the protocolOp of the request
   * @param controls the controls of the request
   * @param identity the identity of the client
   */
  public record Question(byte[] op, List<Control> controls, ClientIdentity identity) {}

  /** Outcome of the lookup. */
  public enum Answer {
    /** The search is answered from memory. */
    HIT,
    /** The search goes upstream, and its result may be stored. */
    MISS,
    /** The search goes upstream, and its result is never stored. */
    BYPASS
  }

  /** Reason for a hit, a miss or a bypass. */
  public enum Reason {
    STORED("stored", "the result is stored"),
    NOT_STORED("not-stored", "no result is stored for this identity"),
    CHANGED("changed", "a change has invalidated the result"),
    LEASE("lease", "the change feed lags or is silent for longer than cache.maxStaleness"),
    EXPIRED(
        "expired",
        "the result is older than cache.maxAge, or its client's rights may have changed"),
    STALE(
        "stale", "no directory server is usable, so the stale result is served (cache.serveStale)"),
    VERIFICATION(
        "verification",
        "an earlier hit of this identity in its sharing class is not verified yet, so the search "
            + "goes upstream"),
    LAGGING("lagging", "the result is older than what the session has written or read"),
    SIZE_LIMIT(
        "size-limit",
        "the directory's answer to this size limit is not known from the stored result"),
    ENTRY_MISSING(
        "entry-missing",
        "an entry of the result was evicted, is too old, or lacks requested attributes"),
    DISABLED("disabled", "caching is switched off"),
    SUSPENDED(
        "suspended", "the outcome of a write is unknown, so the caches are suspended for a moment"),
    EXCLUDED_IDENTITY(
        "excluded-identity", "the client is excluded by cache.exclusions (identity or network)"),
    EXCLUDED_SUBTREE("excluded-subtree", "the search can reach a subtree that is excluded"),
    EXCLUDED_ATTRIBUTE("excluded-attribute", "the filter names an attribute that is excluded"),
    SECRET("secret", "the filter names an attribute that holds secrets"),
    CONTROL("control", "a control changes the answer, or its effect is unknown"),
    SCOPE("scope", "the scope is not one of RFC 4511"),
    VOLATILE("volatile", "the search names an attribute whose values change without a write"),
    WINDOW("window", "a write of the identity waits for its window"),
    NO_ACL_CACHE("no-acl-cache", "results are stored for anonymous clients only"),
    DEDICATED("dedicated", "the client has a dedicated connection with unknown state");

    private final String word;
    private final String meaning;

    Reason(String word, String meaning) {
      this.word = word;
      this.meaning = meaning;
    }

    /** Returns the identifier for programs, which never changes. */
    public String word() {
      return word;
    }

    /** Returns the text for administrators. */
    public String meaning() {
      return meaning;
    }

    @Override
    public String toString() {
      return word + ": " + meaning;
    }
  }

  @Override
  boolean isCounted() {
    return false;
  }

  @Override
  void onReason(Reason reason) {
    reasons.add(reason);
  }

  @Override
  void onCandidate(Lookup lookup, CachedResult item, int count) {
    now = lookup.now();
    latest = lookup.maxAge();
    oldest = OptionalLong.of(item.lastNanos());
    entries = count;
  }

  @Override
  void onHeldByFeed(long boundNanos) {
    heldByFeed = true;
    latest = boundNanos;
  }

  @Override
  void onEntryUsed(long asOf) {
    oldest =
        OptionalLong.of(
            oldest.isPresent() && oldest.getAsLong() - asOf < 0 ? oldest.getAsLong() : asOf);
  }

  /** Called when the lookup has ended. */
  Explanation finish(boolean cacheable, boolean found) {
    answer = found ? Answer.HIT : cacheable ? Answer.MISS : Answer.BYPASS;
    if (found) {
      onReason(Reason.STORED);
    }
    return this;
  }

  /**
   * Adds a reason from outside the caches.
   *
   * @param before true if the search waits for it before the lookup; a hit of now is invalidated by
   *     then and becomes a miss
   */
  public void addReason(Reason reason, boolean before) {
    onReason(reason);
    if (before && answer == Answer.HIT) {
      answer = Answer.MISS;
      reasons.remove(Reason.STORED);
    }
  }

  /** Returns the outcome. */
  public Answer answer() {
    return answer;
  }

  /** Returns the reasons, each once. */
  public List<Reason> reasons() {
    return List.copyOf(reasons);
  }

  /** Returns the age of the answer in ms; empty unless it is a hit. */
  public OptionalLong ageMillis() {
    return answer == Answer.HIT ? OptionalLong.of(age()) : OptionalLong.empty();
  }

  /**
   * Returns the time in ms for which the answer can still be served unless it changes. Empty if
   * only a change ends it, or if it is no hit.
   */
  public OptionalLong remainingMillis() {
    long left = TimeUnit.NANOSECONDS.toMillis(latest) - age();
    return answer == Answer.HIT && latest != Long.MAX_VALUE
        ? OptionalLong.of(Math.max(0, left))
        : OptionalLong.empty();
  }

  private long age() {
    return TimeUnit.NANOSECONDS.toMillis(now - oldest.orElse(now));
  }

  /** True for a hit that a feed holds; false for one that is served by its age. */
  public boolean isHeldByFeed() {
    return answer == Answer.HIT && heldByFeed;
  }

  /** Returns the number of entries of a hit; below 0 if unknown or no hit. */
  public int entries() {
    return answer == Answer.HIT ? entries : -1;
  }
}
