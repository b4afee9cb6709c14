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
 * Whether a search would be answered from memory now, and why; found out by looking for it, without
 * a trace. Confined to whoever asks, then immutable.
 */
public final class Explanation extends Lookup.Look {
  private final Set<Reason> reasons = EnumSet.noneOf(Reason.class);
  private Answer answer = Answer.BYPASS;
  private OptionalLong oldest = OptionalLong.empty();
  private long now;
  private long latest;
  private int entries = -1;
  private boolean vouched;

  /**
   * A search that is to be explained. Immutable, as long as nobody modifies the octets.
   *
   * @param op the protocolOp of the request
   * @param controls those of the request
   * @param identity whose search it would be
   */
  public record Question(byte[] op, List<Control> controls, ClientIdentity identity) {}

  /** What becomes of the search in the caches. */
  public enum Answer {
    /** It is answered from memory. */
    HIT,
    /** It is asked upstream, and may be stored. */
    MISS,
    /** It is asked upstream, and never stored. */
    BYPASS
  }

  /** Why. */
  public enum Reason {
    STORED("stored", "the result is there"),
    NOT_STORED("not-stored", "the result is not there for this identity"),
    CHANGED("changed", "a change has made the result void"),
    LEASE("lease", "the feed of changes is too far behind, or silent"),
    EXPIRED("expired", "the result is older than cache.maxAge"),
    STALE("stale", "no directory server can be used, so it is given though it is too old"),
    LAGGING("lagging", "the session must be shown something newer"),
    SIZE_LIMIT("size-limit", "the stored result says nothing about this size limit"),
    ENTRY_MISSING("entry-missing", "an entry of the result was dropped, or lacks attributes"),
    DISABLED("disabled", "caching is switched off"),
    SUSPENDED("suspended", "nobody knows yet what became of a write"),
    EXCLUDED_IDENTITY("excluded-identity", "the client is excluded by the configuration"),
    EXCLUDED_SUBTREE("excluded-subtree", "the search can reach a subtree that is excluded"),
    EXCLUDED_ATTRIBUTE("excluded-attribute", "the filter names an attribute that is excluded"),
    SECRET("secret", "the filter names an attribute that holds secrets"),
    CONTROL("control", "a control keeps the search out of the caches"),
    SCOPE("scope", "the scope is none of RFC 4511"),
    VOLATILE("volatile", "it names an attribute whose values change by themselves"),
    WINDOW("window", "a write of the identity waits for its window"),
    NO_ACL_CACHE("no-acl-cache", "nothing is kept for clients that have bound"),
    EXCLUSIVE("exclusive", "the session has a connection of its own");

    private final String word;
    private final String meaning;

    Reason(String word, String meaning) {
      this.word = word;
      this.meaning = meaning;
    }

    /** By which machines tell them apart; it does not change. */
    public String word() {
      return word;
    }

    /** For people. */
    public String meaning() {
      return meaning;
    }

    @Override
    public String toString() {
      return word + ": " + meaning;
    }
  }

  @Override
  boolean forReal() {
    return false;
  }

  @Override
  void because(Reason reason) {
    reasons.add(reason);
  }

  @Override
  void looksIn(Lookup lookup, CachedResult item, int count) {
    now = lookup.now();
    latest = lookup.maxAge();
    oldest = OptionalLong.of(item.lastNanos());
    entries = count;
  }

  @Override
  void restsOnFeed(long boundNanos) {
    vouched = true;
    latest = boundNanos;
  }

  @Override
  void uses(long asOf) {
    oldest =
        OptionalLong.of(
            oldest.isPresent() && oldest.getAsLong() - asOf < 0 ? oldest.getAsLong() : asOf);
  }

  /** It was looked for. */
  Explanation end(boolean cacheable, boolean found) {
    answer = found ? Answer.HIT : cacheable ? Answer.MISS : Answer.BYPASS;
    if (found) {
      because(Reason.STORED);
    }
    return this;
  }

  /**
   * Something else concerns it.
   *
   * @param before whether it waits for that before it is looked for: what is there now is void then
   */
  public void waits(Reason reason, boolean before) {
    because(reason);
    if (before && answer == Answer.HIT) {
      answer = Answer.MISS;
      reasons.remove(Reason.STORED);
    }
  }

  /** What becomes of it. */
  public Answer answer() {
    return answer;
  }

  /** Why, each once. */
  public List<Reason> reasons() {
    return List.copyOf(reasons);
  }

  /** How old what is given would be, in milliseconds. */
  public OptionalLong ageMillis() {
    return answer == Answer.HIT ? OptionalLong.of(age()) : OptionalLong.empty();
  }

  /**
   * For how many milliseconds more it would be given, unless it changes; empty if it is given until
   * it changes.
   */
  public OptionalLong keptMillis() {
    long left = TimeUnit.NANOSECONDS.toMillis(latest) - age();
    return answer == Answer.HIT && latest != Long.MAX_VALUE
        ? OptionalLong.of(Math.max(0, left))
        : OptionalLong.empty();
  }

  private long age() {
    return TimeUnit.NANOSECONDS.toMillis(now - oldest.orElse(now));
  }

  /** Whether it is a feed that says that what would be given is right, and not its age. */
  public boolean vouched() {
    return answer == Answer.HIT && vouched;
  }

  /** How many entries it would be; below 0 if that is not known. */
  public int entries() {
    return answer == Answer.HIT ? entries : -1;
  }
}
