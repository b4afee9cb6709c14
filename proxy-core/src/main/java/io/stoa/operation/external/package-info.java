// SPDX-License-Identifier: Apache-2.0
/**
 * Authorization identities of clients that bind by SASL EXTERNAL (RFC 4513, section 5.2.3): rules
 * over what a connection proves of its peer.
 *
 * <p>Both sides need them: a client's bind is answered by a rule, and the service account must not
 * be the result of one. Entry class: {@link io.stoa.operation.external.ExternalRules}. Immutable.
 */
@NullMarked
package io.stoa.operation.external;

import org.jspecify.annotations.NullMarked;
