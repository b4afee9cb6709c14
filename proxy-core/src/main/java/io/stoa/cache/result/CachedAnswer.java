// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.CachedResult.TrackedView;
import io.stoa.cache.result.Lookup.LookupListener;
import io.stoa.cache.sharing.ClassMember;
import io.stoa.cache.sharing.VerifiableHit.ComparableAnswer;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.operation.ReadSource;
import io.stoa.operation.ResponseSink;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An answer from memory: a stored result, and the read of each of its entries that is served.
 *
 * <p>One decision, at the time {@link #now}, holds for all parts: whether a feed holds the result,
 * or whether it is served by its age.
 *
 * <p>Threading: confined to one thread.
 */
final class CachedAnswer {
  private static final StoredEntry[] NONE = {};

  private final Lookup lookup;
  private final CachedResult item;
  private final @Nullable TrackedView watch;
  private final long now;

  /** Number of entries to send. */
  private final int count;

  /** The only entry of an answer with one. */
  private @Nullable StoredEntry first;

  /** The entries of any other answer. */
  private StoredEntry[] reads = NONE;

  /** Begins an answer with a stored result. */
  CachedAnswer(Lookup lookup, CachedResult item, long now) {
    TrackedView live = item.liveWatch(now);
    this.lookup = lookup;
    this.item = item;
    this.watch = live == null ? item.provedWatch(now, lookup.now()) : live;
    this.now = now;
    int limit = lookup.sizeLimit();
    this.count = limit == 0 ? item.count() : Math.min(limit, item.count());
  }

  /** True if a feed holds the result, or if it is young enough. */
  boolean isServable() {
    return watch != null || item.isServableByAge(lookup.epoch(), lookup.oldestNanos(), now);
  }

  /** True if the directory's answer to the size limit of the request is known. */
  boolean meetsSizeLimit() {
    int size = item.count();
    boolean cut = count < size;
    return item.limits().cover(lookup.sizeLimit(), size)
        && !(cut && (lookup.sharingClass().shared() || sizeLimitExceeded() == null));
  }

  private @Nullable EncodedResponse sizeLimitExceeded() {
    return lookup.generation().profile().sizeLimitExceededOp();
  }

  /** Reports the age until which a result that a feed holds may be served. */
  void reportBound(LookupListener lookupListener) {
    if (watch != null) {
      lookupListener.onHeldByFeed(watch.derived().bound(now));
    }
  }

  /** Chooses a read for each entry; false if one is missing. */
  boolean assemble(ResultStore store, LookupListener lookupListener) {
    if (count > 1) {
      reads = new StoredEntry[count];
    }
    for (int i = 0; i < count; i++) {
      StoredEntry read = read(store, i);
      if (read == null) {
        return false;
      }
      lookupListener.onEntryUsed(read.asOf());
      if (count == 1) {
        first = read;
      } else {
        reads[i] = read;
      }
    }
    return true;
  }

  /** Returns a read of an entry that is neither older than the result nor too old; else null. */
  private @Nullable StoredEntry read(ResultStore store, int index) {
    StoredEntry read = current(store, index);
    long oldest = watch == null ? lookup.oldestNanos() : watch.derived().oldest(now);
    return read == null
            || read.isWithheld()
            || read.asOf() - item.firstNanos() < 0
            || read.asOf() - oldest < 0
        ? null
        : read;
  }

  /**
   * Returns the entry in the state in which the result found it, as far as known. In another state
   * the entry might not match. Derived data may differ between reads of one state. So each read is
   * also checked for being current, even if the result is served by its age.
   */
  private @Nullable StoredEntry current(ResultStore store, int index) {
    TrackedView known = item.watch();
    AttributeSelection wanted = lookup.selection();
    long readIn = watch == null ? lookup.epoch() : StoredEntry.ANY_EPOCH;
    Csn version = known == null ? null : known.version(index);
    StoredEntry own = item.entry(index);
    StoredEntry read = own.find(wanted, readIn, version);
    if (read == null) {
      read = store.entries().find(own, wanted, readIn, version);
      store.items().onResized(lookup, item.replace(store.entries(), index, own, read));
    }
    return read != null && (known == null || known.stillShows(index, read, now)) ? read : null;
  }

  /**
   * Sends the entries, and the final response.
   *
   * @return the octets of all responses
   */
  long send(ResponseSink sink) {
    long octets = 0;
    for (int i = 0; i < count; i++) {
      EncodedResponse entry = entry(i);
      octets += entry.op().length;
      sink.respond(entry);
    }
    EncodedResponse done = done();
    sink.complete(done);
    return octets + done.op().length;
  }

  private StoredEntry stored(int index) {
    StoredEntry only = first;
    return only == null ? reads[index] : only;
  }

  /** Returns an entry to send. */
  EncodedResponse entry(int index) {
    return stored(index).projected(lookup.selection());
  }

  /** Returns the number of entries to send. */
  int count() {
    return count;
  }

  /** Returns the final response. */
  EncodedResponse done() {
    EncodedResponse exceeded = count < item.count() ? sizeLimitExceeded() : null;
    return exceeded == null ? item.done() : exceeded;
  }

  /** Returns the servers from which its parts were read, as far as known. */
  List<ReadSource> sources() {
    List<ReadSource> sources = item.sources();
    for (int i = 0; i < count; i++) {
      sources = Sources.merged(sources, stored(i).sources());
    }
    return sources;
  }

  /** Returns the result that it was built from. */
  CachedResult item() {
    return item;
  }

  /** Returns the time of the decision to serve it. */
  long now() {
    return now;
  }

  /** True if the result is due for refresh. */
  boolean isAging() {
    return item.isAging(watch, lookup.oldestNanos(), now);
  }

  /** Returns the DNs of the entries whose state only the feed has reported, without a read. */
  Set<Octets> feedOnlyEntries() {
    Set<Octets> names = new HashSet<>();
    for (int i = 0; i < count; i++) {
      if (stored(i).isFeedOnly()) {
        names.add(stored(i).dn());
      }
    }
    return names;
  }

  /** Returns the class member as which each entry was read, by DN, as far as known. */
  Map<Octets, ClassMember> readers() {
    Map<Octets, ClassMember> readers = new HashMap<>();
    for (int i = 0; i < count; i++) {
      ClassMember reader = stored(i).reader();
      if (reader != null) {
        readers.put(stored(i).dn(), reader);
      }
    }
    return readers;
  }

  /** Returns the entries to send, encoded. */
  List<byte[]> ops() {
    List<byte[]> ops = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ops.add(entry(i).op());
    }
    return ops;
  }

  /** Returns the answer in comparable form. */
  ComparableAnswer comparable() {
    try {
      return ComparableAnswer.of(ops(), done().op());
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("an entry is checked before it is stored", e);
    }
  }
}
