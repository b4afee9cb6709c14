// SPDX-License-Identifier: Apache-2.0
/**
 * Stoa's own administrator: who may become it, and what it may ask for.
 *
 * <p>It must not know what the trees hold that only the administrator sees. Entry classes: {@link
 * io.stoa.server.administrator.AdministratorBinds}, one for all loops, and {@link
 * io.stoa.server.administrator.AdministratorGate}, one for each of them. Passwords are tried on two
 * threads of their own.
 */
@NullMarked
package io.stoa.server.administrator;

import org.jspecify.annotations.NullMarked;
