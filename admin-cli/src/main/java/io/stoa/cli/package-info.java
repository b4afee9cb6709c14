// SPDX-License-Identifier: Apache-2.0
/**
 * The command {@code stoactl}: its commands, each in a class or a method of its own.
 *
 * <p>Does not know any other module of Stoa. All that it shows and does goes over LDAP, by search
 * and modify, so that any tool can do the same. Entry class: {@link io.stoa.cli.Stoactl}.
 *
 * <p>Threads: each command runs on one thread.
 */
@NullMarked
package io.stoa.cli;

import org.jspecify.annotations.NullMarked;
