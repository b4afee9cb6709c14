// SPDX-License-Identifier: Apache-2.0
/**
 * LDAP in Gatling's own style: {@code
 * exec(ldap("find").search("dc=example,dc=com").filter("(uid=#{uid})"))}.
 *
 * <p>Builds the requests and checks that {@link io.stoa.loadtest.engine} sends and evaluates. Entry
 * class: {@link io.stoa.loadtest.LdapDsl}.
 */
@NullMarked
package io.stoa.loadtest;

import org.jspecify.annotations.NullMarked;
