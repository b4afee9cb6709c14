// SPDX-License-Identifier: Apache-2.0
package io.stoa.change;

import io.stoa.ldap.OpType;

/**
 * Something that was done through Stoa and may have changed anything upstream. Immutable.
 *
 * @param cause the kind of request that did it; an extended request may have changed anything
 */
public record OwnChange(OpType cause) {}
