// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.testing.mutation.MethodRef;

/** Methods of this package that mutants change. */
public final class ReplicationMutationTargets {
  public static final MethodRef WRITES_SEEN =
      MethodRef.<UnreplicatedWrites, Object, Footprint>of(UnreplicatedWrites::onAnswer);
  public static final MethodRef WRITE_END = MethodRef.of(UnreplicatedWrite::end);

  private ReplicationMutationTargets() {}
}
