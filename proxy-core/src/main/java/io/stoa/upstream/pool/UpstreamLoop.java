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
 * The event loop on which the connections live. Immutable.
 *
 * @param eventLoop the loop
 * @param transport how its sockets are driven
 * @param flushes what is to be sent at the end of its round
 * @param queueBound how many operations may wait, over all loops
 * @param rebinds takes turns in binding with clients' passwords, over all loops
 * @param service as whom connections are bound in proxied-authorization mode; else null
 * @param tls makes TLS connections to servers; null if none is spoken to by TLS
 * @param numbers gives each connection a number, over all loops
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
  /** What makes connections on it. */
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
