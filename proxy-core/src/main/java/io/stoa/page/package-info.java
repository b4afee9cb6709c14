// SPDX-License-Identifier: Apache-2.0
/**
 * Paged results (RFC 2696) from memory: a result that is cached, or may be, is read whole and given
 * out in pages under cookies of Stoa's own, so that no page needs the connection on which the one
 * before was read. Everything else goes to the directory, whose cookie then ties the client to a
 * connection. Knows of the caches only what {@link io.stoa.page.Memory} says. Entry class: {@link
 * io.stoa.page.PageStage}. Event-loop confined.
 */
@NullMarked
package io.stoa.page;

import org.jspecify.annotations.NullMarked;
