// SPDX-License-Identifier: Apache-2.0
/** Copies of the product with one method changed, by which tests prove that they find defects. */
@NullMarked
package io.stoa.testing.mutation;

import org.jspecify.annotations.NullMarked;
