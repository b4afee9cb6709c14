// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import java.util.List;
import java.util.function.Supplier;

/**
 * A small tree of Stoa's own. Immutable.
 *
 * @param suffix where it begins
 * @param kinds which of its names are kinds of others
 * @param entries makes the entries that a client may see at this moment: the entry of the suffix
 *     first, and each entry after its parent
 */
public record Tree(TreeSuffix suffix, Kinds kinds, Supplier<List<TreeEntry>> entries) {
  /** A tree of which no name is a kind of another. */
  public Tree(TreeSuffix suffix, Supplier<List<TreeEntry>> entries) {
    this(suffix, Kinds.NONE, entries);
  }
}
