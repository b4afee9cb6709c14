// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to directory servers as the account of a feed, by the LDAP SDK. Knows nothing of what
 * is asked there. Entry class: {@link io.stoa.link.SdkLink}.
 */
@NullMarked
package io.stoa.link;

import org.jspecify.annotations.NullMarked;
