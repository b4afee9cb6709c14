// SPDX-License-Identifier: Apache-2.0
/**
 * Directory servers as the proxy knows them: address, health, operations in flight, limits that it
 * learns.
 *
 * <p>Entry class: {@link io.stoa.upstream.server.Backend}, shared by all event loops.
 */
@NullMarked
package io.stoa.upstream.server;

import org.jspecify.annotations.NullMarked;
