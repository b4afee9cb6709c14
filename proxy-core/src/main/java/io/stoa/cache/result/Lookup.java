// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.sharing.ClassMember;
import io.stoa.cache.sharing.ClassTable;
import io.stoa.cache.sharing.SharingClass;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.operation.ReadFrom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is looked for on behalf of one request, and by which rules. Immutable.
 *
 * @param generation by whose rules it was planned
 * @param plan the request
 * @param accessClass what the identity may see
 * @param key what its result is stored under
 * @param epoch the epoch, read before anything was looked up or sent
 * @param oldestNanos results that were asked for before are too old
 * @param flushes how often something had been dropped by itself, read at the same time
 * @param now when the request was received
 */
record Lookup(
    CacheGeneration generation,
    CacheRequest plan,
    SharingClass accessClass,
    QueryKey key,
    long epoch,
    long oldestNanos,
    long flushes,
    long now) {

  /**
   * Somebody who looks for an answer: for a client, or to tell what a client would be given. Has no
   * state.
   */
  static class Look {
    /** For a client. */
    static final Look FOR_CLIENT = new Look();

    /** Whether what is done for the answer counts, and is noted. */
    boolean forReal() {
      return true;
    }

    /** Something stands against an answer from memory, or for it. */
    void because(Reason reason) {
      // A client is not told.
    }

    /** A result would do, with so many of its entries. */
    void looksIn(Lookup lookup, CachedResult item, int count) {
      // Likewise.
    }

    /**
     * It is a feed that says that the result is right.
     *
     * @param boundNanos how old the result may become before that ends; {@link Long#MAX_VALUE} if
     *     its age does not matter
     */
    void restsOnFeed(long boundNanos) {
      // Likewise.
    }

    /** An entry goes into the answer that is as new as that. */
    void uses(long asOf) {
      // Likewise.
    }

    /** What is kept apart for an identity; null if nothing is stored for it. */
    final @Nullable SharingClass accessClass(
        ClassTable classes, Octets identity, long covered, long now) {
      return forReal() ? classes.of(identity, covered, now) : classes.peek(identity, covered, now);
    }

    /** A result that may be given; as a change has left it that was made meanwhile. */
    final @Nullable CachedResult item(BoundedCache<QueryKey, CachedResult> items, QueryKey key) {
      CachedResult first = get(items, key);
      CachedResult stored = first != null && first.isReplaced() ? items.peek(key) : first;
      return stored == null || stored.isWithheld() ? null : stored;
    }

    /** What is stored under a key; null if nothing is. */
    final <K, V> @Nullable V get(BoundedCache<K, V> cache, K key) {
      return forReal() ? cache.get(key) : cache.peek(key);
    }
  }

  /** Looks for what a client would be given, and leaves no trace. Has no state. */
  static final class Quiet extends Look {
    static final Quiet LOOK = new Quiet();

    @Override
    boolean forReal() {
      return false;
    }
  }

  /** The same with answers that are older. */
  Lookup forgiving(long nanos) {
    return new Lookup(generation, plan, accessClass, key, epoch, oldestNanos - nanos, flushes, now);
  }

  /** What is stored for it is stored under this. */
  Octets partition() {
    return accessClass.partition();
  }

  /** How old an answer may be. */
  long maxAge() {
    return now - oldestNanos;
  }

  /** The attribute list; of searches only. */
  AttributeSelection selection() {
    AttributeSelection selection = plan.selection();
    if (selection == null) {
      throw new IllegalStateException("a compare has no attribute list");
    }
    return selection;
  }

  boolean isSearch() {
    return plan.selection() != null;
  }

  /**
   * Where something that is stored comes from. Immutable.
   *
   * @param sources the servers that have answered the search, as far as known
   * @param epoch the epoch in which the search was sent
   * @param asOf the answer is at least as new as one that a primary would have given then
   * @param reader as which member it was read; null if it is stored for one identity
   */
  record Origin(List<ReadFrom> sources, long epoch, long asOf, @Nullable ClassMember reader) {
    /**
     * Of a search that was sent at the time of the lookup: a server that lags answers of the past.
     */
    static Origin of(Lookup lookup, List<ReadFrom> sources) {
      long behind = sources.stream().mapToLong(ReadFrom::behindNanos).max().orElse(0);
      ClassMember reader = lookup.accessClass().reader();
      return new Origin(sources, lookup.epoch(), lookup.now() - behind, reader);
    }

    /** Whether nobody is to be given it for now: what was read as this member is in doubt. */
    boolean isWithheld() {
      return reader != null && reader.isHeld();
    }
  }
}
