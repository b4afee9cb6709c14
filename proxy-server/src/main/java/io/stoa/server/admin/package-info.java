// SPDX-License-Identifier: Apache-2.0
/**
 * Stoa's own tree: answers what is asked of {@code cn=monitor} before any cache sees it.
 *
 * <p>It reads counters and a status; it must not know how the proxy works. Entry class: {@link
 * io.stoa.server.admin.MonitorStage}, one for each event loop. Entries are made anew for each
 * answer and belong to it.
 */
@NullMarked
package io.stoa.server.admin;

import org.jspecify.annotations.NullMarked;
