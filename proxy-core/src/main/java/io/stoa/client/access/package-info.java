// SPDX-License-Identifier: Apache-2.0
/**
 * Access rules: which client may send which operation, to which part of the tree.
 *
 * <p>A denied operation reaches neither the caches nor a directory. The rules add to the access
 * control of the directory, and never replace it. Start reading at {@link
 * io.stoa.client.access.AccessControl}.
 *
 * <p>Does not know: connections, caches, servers.
 *
 * <p>Threading: everything is thread-safe; operations are judged on event loops.
 */
@NullMarked
package io.stoa.client.access;

import org.jspecify.annotations.NullMarked;
