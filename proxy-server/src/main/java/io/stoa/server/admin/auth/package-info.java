// SPDX-License-Identifier: Apache-2.0
/**
 * The administrator of the proxy: its authentication and its authorization.
 *
 * <p>Does not know the contents of the trees. Entry classes: {@link
 * io.stoa.server.admin.auth.AdministratorBinds}, one for all loops, and {@link
 * io.stoa.server.admin.auth.AdministratorGate}, one for each of them.
 *
 * <p>Threads: two threads verify passwords.
 */
@NullMarked
package io.stoa.server.admin.auth;

import org.jspecify.annotations.NullMarked;
