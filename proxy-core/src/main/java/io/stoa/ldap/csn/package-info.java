// SPDX-License-Identifier: Apache-2.0
/**
 * Change sequence numbers, cookies of contexts and change numbers: how far a server has got.
 * Immutable.
 */
@NullMarked
package io.stoa.ldap.csn;

import org.jspecify.annotations.NullMarked;
