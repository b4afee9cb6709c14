// SPDX-License-Identifier: Apache-2.0
/**
 * Authorization identities of clients that bind by SASL EXTERNAL (RFC 4513, section 5.2.3), by
 * rules over the properties that a connection proves.
 *
 * <p>Used on both sides: a rule answers a client's bind, and no rule may yield the service account.
 * Entry class: {@link io.stoa.operation.external.ExternalRules}.
 *
 * <p>Threads: immutable.
 */
@NullMarked
package io.stoa.operation.external;

import org.jspecify.annotations.NullMarked;
