// SPDX-License-Identifier: Apache-2.0
package io.stoa.change;

import io.stoa.ldap.OpType;

/**
 * Something that may have changed upstream. Immutable.
 *
 * @param cause the kind of request that did it; an extended request may have changed anything
 */
public record Change(OpType cause) {}
