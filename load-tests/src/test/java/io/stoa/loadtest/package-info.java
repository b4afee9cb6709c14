// SPDX-License-Identifier: Apache-2.0
/**
 * LDAP in Gatling's own style: {@code
 * exec(ldap("find").search("dc=example,dc=com").filter("(uid=#{uid})"))}. It makes the requests and
 * the checks that {@link io.stoa.loadtest.engine} sends and judges. Entry: {@link
 * io.stoa.loadtest.LdapDsl}.
 */
@NullMarked
package io.stoa.loadtest;

import org.jspecify.annotations.NullMarked;
