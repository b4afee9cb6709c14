// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.ldap.protocol.Octets;

/**
 * An identity independent of the spelling of its name. History and pending verifications are kept
 * for all spellings. Otherwise a client could shed them by a bind with another spelling, and could
 * then testify for itself as another member.
 *
 * <p>Threading: immutable.
 *
 * @param bindContext all properties beside the DN that the directory may know: client address and
 *     bind method
 * @param name the name in a form that is equal for all spellings that some directory may accept
 */
record CanonicalIdentity(Octets bindContext, Octets name) {}
