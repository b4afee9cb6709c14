// SPDX-License-Identifier: Apache-2.0
/**
 * As whom clients act that bind by SASL EXTERNAL: rules make authorization identities of what their
 * connections prove of them. Knows nothing of LDAP but these identities. Entry class: {@link
 * io.stoa.external.ExternalRules}; everything here is immutable.
 */
@NullMarked
package io.stoa.external;

import org.jspecify.annotations.NullMarked;
