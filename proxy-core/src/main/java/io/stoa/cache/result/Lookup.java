// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.ghost.GhostLookup;
import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.sharing.ClassMember;
import io.stoa.cache.sharing.ClassTable;
import io.stoa.cache.sharing.SharingClass;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.operation.ReadSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request as it is looked up in the caches, with the rules that apply to it.
 *
 * <p>Threading: immutable; the array must not be modified.
 *
 * @param hash {@link QueryKey#hash}
 * @param generation rules by which the request was decoded
 * @param template what the request has in common with all requests of its shape
 * @param values the folded values of the request
 * @param sharingClass the identity or sharing class whose results may be used
 * @param epoch the epoch, read before the lookup and before a search was sent
 * @param oldestNanos time of the request less {@code cache.maxAge}; an earlier read is too old
 * @param now time at which the request was received
 */
record Lookup(
    int hash,
    CacheGeneration generation,
    RequestTemplate template,
    byte[] values,
    SharingClass sharingClass,
    long epoch,
    long oldestNanos,
    long now)
    implements QueryKey {

  Lookup(
      CacheGeneration generation,
      RequestTemplate template,
      byte[] values,
      SharingClass sharingClass,
      long epoch,
      long oldestNanos,
      long now) {
    this(
        QueryKey.hash(sharingClass.partition(), template.query(), values),
        generation,
        template,
        values,
        sharingClass,
        epoch,
        oldestNanos,
        now);
  }

  /**
   * Mode of a lookup: for a client, or only to find out what a client would get. Subclasses receive
   * the steps of the lookup.
   *
   * <p>Threading: stateless.
   */
  static class LookupListener {
    /** Lookup for a client. */
    static final LookupListener FOR_CLIENT = new LookupListener();

    /** True if the lookup counts as a use of the caches. */
    boolean isCounted() {
      return true;
    }

    /** Called for each reason for or against an answer from memory. */
    void onReason(Reason reason) {
      // clients get no explanation
    }

    /** Called when a result is usable and {@code count} of its entries are needed. */
    void onCandidate(Lookup lookup, CachedResult item, int count) {
      // clients get no explanation
    }

    /**
     * Called when a feed holds the result.
     *
     * @param boundNanos age until which the result may be served; {@link Long#MAX_VALUE} if its age
     *     does not matter
     */
    void onHeldByFeed(long boundNanos) {
      // clients get no explanation
    }

    /** Called for each entry of the answer, with the time of its {@link Origin#asOf}. */
    void onEntryUsed(long asOf) {
      // clients get no explanation
    }

    /** Returns the identity's own or shared class; null if nothing is stored for the identity. */
    final @Nullable SharingClass sharingClass(
        ClassTable classes, Octets identity, long covered, long now) {
      return isCounted()
          ? classes.of(identity, covered, now)
          : classes.peek(identity, covered, now);
    }

    /**
     * Returns a result that may be served, or null. Looks again if a change in place has just
     * replaced it.
     */
    final @Nullable CachedResult item(BoundedCache<QueryKey, CachedResult> items, QueryKey key) {
      CachedResult first = items.peek(key);
      if (first != null && isCounted() && first.countUse(items)) {
        items.get(key);
      }
      CachedResult stored = first != null && first.isReplaced() ? items.peek(key) : first;
      return stored == null || stored.isWithheld() ? null : stored;
    }

    /** Returns the value of a key, or null. */
    final <K, V> @Nullable V get(BoundedCache<K, V> cache, K key) {
      return isCounted() ? cache.get(key) : cache.peek(key);
    }
  }

  /** Lookup that leaves no trace in counters or in the order of eviction. Threading: stateless. */
  static final class SilentLookup extends LookupListener {
    static final SilentLookup INSTANCE = new SilentLookup();

    @Override
    boolean isCounted() {
      return false;
    }
  }

  /** Returns the same lookup with an older watermark, so that stale results are accepted. */
  Lookup acceptingStale(long nanos) {
    return new Lookup(
        hash, generation, template, values, sharingClass, epoch, oldestNanos - nanos, now);
  }

  /** Returns the lookup of the same request at a later time. */
  Lookup renewed(SharingClass newSharingClass, long newEpoch) {
    return new Lookup(generation, template, values, newSharingClass, newEpoch, oldestNanos, now);
  }

  @Override
  public Octets partition() {
    return sharingClass.partition();
  }

  @Override
  public NormalQuery query() {
    return template.query();
  }

  /** Returns the key with which a result is stored. */
  QueryKey key() {
    return new StoredKey(partition(), query(), values);
  }

  /** Returns the size limit; 0 for none. */
  int sizeLimit() {
    return template.sizeLimit();
  }

  /**
   * Returns the key of all parts of the request that may change how the directory returns an entry,
   * except the attribute list; empty for a compare.
   */
  Octets form() {
    Octets form = template.form();
    return form == null ? query().with(values) : form;
  }

  /** Returns the maximum age of an answer in ns. */
  long maxAge() {
    return now - oldestNanos;
  }

  /** Returns the attribute list. Must be called for searches only. */
  AttributeSelection selection() {
    AttributeSelection selection = template.selection();
    if (selection == null) {
      throw new IllegalStateException("a compare has no attribute list");
    }
    return selection;
  }

  boolean isSearch() {
    return template.selection() != null;
  }

  /** Two lookups are equal if they have equal keys. */
  @Override
  public boolean equals(@Nullable Object other) {
    return QueryKey.equal(this, other);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /** Returns the hash of the request without the identity. */
  int queryHash() {
    return QueryKey.hash(Octets.EMPTY, query(), values);
  }

  /** Returns the lookup for the simulation of other cache sizes. */
  GhostLookup ghost() {
    return new GhostLookup(hash, epoch, oldestNanos, now, isSearch());
  }

  /**
   * Origin of stored data.
   *
   * <p>Threading: immutable.
   *
   * @param sources the servers that answered the search, as far as known
   * @param epoch the epoch in which the search was sent
   * @param asOf a time at which a primary would have given no newer answer
   * @param reader class member as which it was read; null if it is stored for one identity
   */
  record Origin(List<ReadSource> sources, long epoch, long asOf, @Nullable ClassMember reader) {
    /**
     * Returns the origin of a search sent at the time of the lookup, reduced by the servers' lag.
     */
    static Origin of(Lookup lookup, List<ReadSource> sources) {
      long behind = 0;
      for (ReadSource source : sources) {
        behind = Math.max(behind, source.behindNanos());
      }
      ClassMember reader = lookup.sharingClass().reader();
      return new Origin(sources, lookup.epoch(), lookup.now() - behind, reader);
    }

    /** True if the data must not be served for now: its reader is suspended. */
    boolean isWithheld() {
      return reader != null && reader.isSuspended();
    }
  }
}
