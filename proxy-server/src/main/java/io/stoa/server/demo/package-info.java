// SPDX-License-Identifier: Apache-2.0
/**
 * What {@code stoa demo} shows: two directories in memory with the same people, and a line about
 * what happens.
 *
 * <p>It plays a directory service, so it alone may use the server classes of the SDK; it must not
 * know Stoa's server. Entry class: {@link io.stoa.server.demo.ReplicaDirectories}, whose threads
 * are those of the SDK.
 */
@NullMarked
package io.stoa.server.demo;

import org.jspecify.annotations.NullMarked;
