// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.Lookup.LookupListener;
import io.stoa.ldap.protocol.RequestScanner;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Operation;

/**
 * A table of request templates without caches, for the benchmarks.
 *
 * <p>Threading: confined to one thread.
 */
public final class TemplateTable {
  private static final long MAX_BYTES = 1 << 20;

  private final RequestScanner scanner = new RequestScanner();
  private final CacheGeneration generation;

  /** Creates an empty table. */
  public TemplateTable(ServerProfile profile) {
    generation = new CacheGeneration(1, profile, CacheConfig.DEFAULTS, MAX_BYTES);
  }

  /** Scans a request, looks up its template, and returns its folded values. */
  public byte[] values(Operation operation) {
    return generation.template(operation, scanner, LookupListener.FOR_CLIENT).values(scanner);
  }
}
