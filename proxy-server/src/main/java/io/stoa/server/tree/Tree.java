// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.tree;

import io.stoa.operation.ClientSession;
import java.util.List;
import java.util.function.Function;

/**
 * A small tree of Stoa's own. Immutable.
 *
 * @param suffix where it begins
 * @param entries makes what a client may see at this moment: the entry of the suffix first, and
 *     each entry after its parent. Called on the client's event loop
 */
public record Tree(TreeSuffix suffix, Function<ClientSession, List<TreeEntry>> entries) {}
