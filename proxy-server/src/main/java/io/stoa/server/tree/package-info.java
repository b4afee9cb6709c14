// SPDX-License-Identifier: Apache-2.0
/**
 * Small trees of Stoa's own, such as {@code cn=monitor}: how they are searched and compared, as a
 * directory would do it.
 *
 * <p>It must not know what the entries are about: whoever has a tree makes its entries anew for
 * each answer, and they belong to that. Entry classes: {@link io.stoa.server.tree.Tree}, and {@link
 * io.stoa.server.tree.TreeAnswer} for each operation.
 */
@NullMarked
package io.stoa.server.tree;

import org.jspecify.annotations.NullMarked;
