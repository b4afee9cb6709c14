// SPDX-License-Identifier: Apache-2.0
/**
 * Small trees of the proxy's own, such as {@code cn=monitor}, searched and compared as in a
 * directory.
 *
 * <p>Does not know the meaning of the entries: the owner of a tree creates them anew for each
 * answer. Entry classes: {@link io.stoa.server.localtree.Tree}, and {@link
 * io.stoa.server.localtree.TreeAnswer} for each operation.
 */
@NullMarked
package io.stoa.server.localtree;

import org.jspecify.annotations.NullMarked;
