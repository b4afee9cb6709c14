// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.CachedResult.ResultContext;
import io.stoa.cache.result.CachedResult.SizeLimits;
import io.stoa.cache.result.StoredEntry.ReadContext;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Interner;
import java.util.concurrent.atomic.LongAdder;

/**
 * The contexts of stored results and reads, each kept once, and the octets of those that results
 * have.
 *
 * <p>Octets: those of an {@link Interner}, and 40.
 *
 * <p>Invariant: {@link #octets} is the sum of the sizes of all contexts of one shape that a stored
 * result has. Clients choose shapes, so these octets count for the bound of the results.
 *
 * <p>Threading: thread-safe.
 */
final class ContextTable {
  private final Interner interner =
      new Interner(RequestTemplate.SHARED, RequestTemplate.MAX_SHARED);
  private final LongAdder octets = new LongAdder();

  /** Returns the context of a result. */
  ResultContext context(Lookup lookup, EncodedResponse done, Lookup.Origin origin) {
    ResultContext context =
        new ResultContext(
            lookup.template(),
            interner.intern(done, done.op().length),
            interner.intern(SizeLimits.of(lookup.sizeLimit()), SizeLimits.OCTETS),
            origin.sources(),
            origin.reader(),
            new Uses(octets));
    return context.isShared() ? interner.intern(context, context.size()) : context;
  }

  /** Returns the context of the reads of a search. */
  ReadContext context(Lookup lookup, Lookup.Origin origin) {
    ReadContext context = ReadContext.of(lookup, lookup.form(), lookup.selection(), origin);
    return interner.intern(context, context.size());
  }

  /** Returns the octets of the contexts that results share. */
  long octets() {
    return octets.sum();
  }

  /** Forgets all contexts: forms of searches may contain values. */
  void clear() {
    interner.clear();
  }

  /**
   * The results with one context. The first of them counts its octets, and the last one returns
   * them.
   *
   * <p>Threading: thread-safe.
   */
  static final class Uses {
    private final LongAdder octets;
    private int results;

    Uses(LongAdder octets) {
      this.octets = octets;
    }

    synchronized void add(int size) {
      if (results++ == 0) {
        octets.add(size);
      }
    }

    synchronized void remove(int size) {
      if (--results == 0) {
        octets.add(-size);
      }
    }

    /** Returns the uses of a further context of the same table. */
    Uses ofAnother() {
      return new Uses(octets);
    }
  }
}
