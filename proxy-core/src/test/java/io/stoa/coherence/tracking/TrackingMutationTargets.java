// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.testing.mutation.MethodRef;

/** Methods of this package that mutants change. */
public final class TrackingMutationTargets {
  public static final MethodRef APPLY_OWN_WRITE = MethodRef.of(OwnWrites::apply);
  public static final MethodRef IS_CONTAINED = MethodRef.of(FeedCoverage::isContained);

  private TrackingMutationTargets() {}
}
