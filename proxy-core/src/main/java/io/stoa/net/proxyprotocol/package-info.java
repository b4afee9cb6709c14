// SPDX-License-Identifier: Apache-2.0
/**
 * The PROXY protocol of HAProxy, versions 1 and 2: read from clients, written to servers.
 * Event-loop confined.
 */
@NullMarked
package io.stoa.net.proxyprotocol;

import org.jspecify.annotations.NullMarked;
