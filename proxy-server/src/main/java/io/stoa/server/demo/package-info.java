// SPDX-License-Identifier: Apache-2.0
/**
 * The parts of {@code stoa demo}: two in-memory directories with the same people, and a line of
 * counters.
 *
 * <p>Acts as a directory service, so it alone may use the server classes of the SDK. Does not know
 * Stoa's server. Entry class: {@link io.stoa.server.demo.ReplicaDirectories}.
 *
 * <p>Threads: those of the SDK.
 */
@NullMarked
package io.stoa.server.demo;

import org.jspecify.annotations.NullMarked;
