// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.ldap.protocol.Octets;

/**
 * Who an identity is, however its name is spelled. What is held against it is held against all of
 * these spellings: else it would be rid of that by binding with another one, and could speak for
 * itself as if it were somebody else. Immutable.
 *
 * @param manner all that the directory may know of it beside its name
 * @param place its name, alike for all that some directory may take for the same
 */
record CanonicalIdentity(Octets manner, Octets place) {}
