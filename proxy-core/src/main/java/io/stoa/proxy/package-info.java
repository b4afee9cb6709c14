// SPDX-License-Identifier: Apache-2.0
/**
 * The assembly of the proxy and its live reconfiguration: the only place where all domains meet.
 *
 * <p>Start reading at {@link io.stoa.proxy.Proxy}, which puts the chain of stages together for each
 * event loop, and {@link io.stoa.proxy.ProxyConfig}, the whole configuration as values.
 *
 * <p>No other domain of proxy-core imports this one.
 *
 * <p>Threads: assembly happens on the thread that starts the proxy; the rest is posted to the event
 * loops.
 */
@NullMarked
package io.stoa.proxy;

import org.jspecify.annotations.NullMarked;
