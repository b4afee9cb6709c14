// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import java.util.List;
import java.util.function.Supplier;

/**
 * A small tree of Stoa's own.
 *
 * <p>Threading: immutable.
 *
 * @param suffix suffix of the tree
 * @param kinds superiors of its attribute types and object classes
 * @param entries creates the entries that a client may see at this moment: the entry of the suffix
 *     first, and each entry after its parent
 */
public record Tree(TreeSuffix suffix, TypeHierarchy kinds, Supplier<List<TreeEntry>> entries) {
  /** Creates a tree without superior types. */
  public Tree(TreeSuffix suffix, Supplier<List<TreeEntry>> entries) {
    this(suffix, TypeHierarchy.NONE, entries);
  }
}
