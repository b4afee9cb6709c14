// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.testing.mutation.MethodRef;

/** Methods of this package that mutants change. */
public final class ViewMutationTargets {
  public static final MethodRef LEAVE = MethodRef.of(IndexRegistration::unregister);
  public static final MethodRef SUBTREE_LEFT = MethodRef.of(SubtreeInvalidation::invalidateBelow);

  private ViewMutationTargets() {}
}
