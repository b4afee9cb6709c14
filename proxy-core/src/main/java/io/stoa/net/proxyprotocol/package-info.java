// SPDX-License-Identifier: Apache-2.0
/**
 * The PROXY protocol of HAProxy, versions 1 and 2: headers are read from clients and written to
 * servers.
 *
 * <p>Threading: event loop.
 */
@NullMarked
package io.stoa.net.proxyprotocol;

import org.jspecify.annotations.NullMarked;
