// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.testing.mutation.MethodRef;

/** Methods of this package that mutants change. */
public final class CacheMutationTargets {
  public static final MethodRef EPOCH_END = MethodRef.of(CacheEpoch::end);
  public static final MethodRef EPOCH_SUSPENDED = MethodRef.of(CacheEpoch::isSuspended);
  public static final MethodRef LOOKUP_EPOCH = MethodRef.of(Lookup::epoch);
  public static final MethodRef LOOKUP_OLDEST = MethodRef.of(Lookup::oldestNanos);
  public static final MethodRef FILL_END = MethodRef.of(Fill.FillTable::end);
  public static final MethodRef FILL_SERVES = MethodRef.of(Fill::isJoinableBy);
  public static final MethodRef EXPLANATION_END = MethodRef.of(Explanation::finish);
  public static final MethodRef AMENDED = MethodRef.of(ResultMaintainer::onUpdated);
  public static final MethodRef LOOKUP =
      MethodRef
          .<CacheStage, io.stoa.operation.Operation, Lookup.LookupListener, CacheGeneration,
              RequestTemplate, Long>
              of(CacheStage::lookup);

  private CacheMutationTargets() {}
}
