// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.channel.EventLoop;
import io.stoa.net.codec.FlushQueue;
import io.stoa.net.tls.TlsContext;
import io.stoa.net.transport.Transport;
import io.stoa.upstream.admission.QueueBound;
import io.stoa.upstream.auth.BindCoalescer;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.connect.Dialer;
import io.stoa.upstream.connection.Connector;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The event loop of a set of connections, with its services.
 *
 * <p>Threading: immutable.
 *
 * @param eventLoop the loop
 * @param transport socket implementation
 * @param flushes queue of writes that are sent at the end of the loop's turn
 * @param queueBound limit of waiting operations, over all loops
 * @param rebinds coalesces binds with clients' passwords, over all loops
 * @param service service account in proxied-authorization mode; else null
 * @param tls TLS context for connections to servers; null if none uses TLS
 * @param numbers source of connection numbers, over all loops
 */
public record UpstreamLoop(
    EventLoop eventLoop,
    Transport transport,
    FlushQueue flushes,
    QueueBound queueBound,
    BindCoalescer rebinds,
    @Nullable ServiceAccount service,
    @Nullable TlsContext tls,
    LongSupplier numbers) {
  /** Creates the connector of this loop. */
  public Connector connector(UpstreamConfig config) {
    Dialer.Settings settings =
        new Dialer.Settings(config.transport(), config.connectTimeout(), config.maxResponse());
    return new Connector(
        new Dialer(eventLoop, transport, tls, settings),
        flushes,
        config.transport().sessionTracking(),
        numbers);
  }
}
