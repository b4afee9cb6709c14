// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.tree;

import io.stoa.operation.ClientSession;
import java.util.List;
import java.util.function.Function;

/**
 * A small tree of Stoa's own. Immutable.
 *
 * @param suffix where it begins
 * @param kinds which of its names are kinds of others
 * @param entries makes what a client may see at this moment: the entry of the suffix first, and
 *     each entry after its parent. Called on the client's event loop
 */
public record Tree(
    TreeSuffix suffix, Kinds kinds, Function<ClientSession, List<TreeEntry>> entries) {
  /** A tree of which no name is a kind of another. */
  public Tree(TreeSuffix suffix, Function<ClientSession, List<TreeEntry>> entries) {
    this(suffix, Kinds.NONE, entries);
  }
}
