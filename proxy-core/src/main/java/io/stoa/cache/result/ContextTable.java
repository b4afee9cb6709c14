// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.CachedResult.ResultContext;
import io.stoa.cache.result.CachedResult.SizeLimits;
import io.stoa.cache.result.StoredEntry.ReadContext;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Interner;
import java.util.concurrent.atomic.LongAdder;

/**
 * The contexts of stored results and reads, each kept once, and the octets of the templates that
 * results have.
 *
 * <p>Octets: those of an {@link Interner}, and 40.
 *
 * <p>Invariant: {@link #templateOctets} is the sum of the sizes of all templates of a shape that a
 * stored result has. Clients choose shapes, so these octets count for the bound of the results.
 *
 * <p>Threading: thread-safe.
 */
final class ContextTable {
  /** Maximum number of shared objects: 2,048. Each identity has contexts of its own. */
  private static final int SHARED = 2048;

  /** Maximum octets of a shared object: 2,048. */
  private static final int MAX_SHARED = 2048;

  private final Interner interner = new Interner(SHARED, MAX_SHARED);
  private final LongAdder templateOctets = new LongAdder();

  /** Returns the context of a result. */
  ResultContext context(Lookup lookup, EncodedResponse done, Lookup.Origin origin) {
    ResultContext context =
        new ResultContext(
            lookup.template(),
            interner.intern(done, done.op().length),
            interner.intern(SizeLimits.of(lookup.sizeLimit()), SizeLimits.OCTETS),
            origin.sources(),
            origin.reader(),
            templateOctets);
    return context.template().isShared() ? interner.intern(context, context.size()) : context;
  }

  /** Returns the context of the reads of a search. */
  ReadContext context(Lookup lookup, Lookup.Origin origin) {
    ReadContext context = ReadContext.of(lookup, lookup.form(), lookup.selection(), origin);
    return interner.intern(context, context.size());
  }

  /** Returns the octets of the templates that results share. */
  long templateOctets() {
    return templateOctets.sum();
  }

  /** Forgets all contexts: forms of searches may contain values. */
  void clear() {
    interner.clear();
  }
}
