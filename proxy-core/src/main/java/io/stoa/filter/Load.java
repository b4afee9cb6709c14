// SPDX-License-Identifier: Apache-2.0
package io.stoa.filter;

/** How much work it makes to look for what is filed under a key: who decides keeps it small. */
@FunctionalInterface
public interface Load {
  double of(Cover.Key key);
}
