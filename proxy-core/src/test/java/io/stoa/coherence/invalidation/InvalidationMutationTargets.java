// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.testing.mutation.MethodRef;

/** Methods of this package that mutants change. */
public final class InvalidationMutationTargets {
  public static final MethodRef IS_YOUNG = MethodRef.of(FillValidator::isYoung);
  public static final MethodRef JUDGE = MethodRef.of(FillValidator::judge);
  public static final MethodRef TAKE = MethodRef.of(CoherenceDomain::applyUnordered);
  public static final MethodRef SCHEDULE = MethodRef.of(UpdateVerifier::schedule);

  private InvalidationMutationTargets() {}
}
