// SPDX-License-Identifier: Apache-2.0
package io.stoa.origin;

/**
 * The process at the other end of a local socket, as the system knew it when it connected.
 * Immutable.
 *
 * @param uid its effective user
 * @param gid its effective group
 * @param pid its process, which may have ended since
 */
public record LocalUser(int uid, int gid, int pid) {}
