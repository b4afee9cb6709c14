// SPDX-License-Identifier: Apache-2.0
/**
 * Tells systemd the state of the service by the protocol of sd_notify(3): ready, reloading,
 * stopping, a line of status, and the watchdog.
 *
 * <p>Start reading at {@link io.stoa.server.systemd.SystemdNotifier}.
 *
 * <p>Does not know: how Stoa starts, reloads and drains.
 *
 * <p>Threads: {@code stoa-systemd} sends all messages.
 */
@NullMarked
package io.stoa.server.systemd;

import org.jspecify.annotations.NullMarked;
