// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.channel.EventLoop;
import io.stoa.net.codec.FlushQueue;
import io.stoa.upstream.admission.QueueBound;
import io.stoa.upstream.auth.BindCoalescer;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.connect.Dialer;
import io.stoa.upstream.connect.Dialer.ChannelOpener;
import io.stoa.upstream.connection.Connector;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The event loop of a set of connections, with its services.
 *
 * <p>Threading: immutable.
 *
 * @param eventLoop the loop
 * @param dialers creates the dialer of the loop
 * @param flushes queue of writes that are sent at the end of the loop's turn
 * @param queueBound limit of waiting operations, over all loops
 * @param rebinds coalesces binds with clients' passwords, over all loops
 * @param service service account in proxied-authorization mode; else null
 * @param numbers source of connection numbers, over all loops
 */
public record UpstreamLoop(
    EventLoop eventLoop,
    Function<Dialer.DialSettings, ChannelOpener> dialers,
    FlushQueue flushes,
    QueueBound queueBound,
    BindCoalescer rebinds,
    @Nullable ServiceAccount service,
    LongSupplier numbers) {
  /** Creates the connector of this loop. */
  public Connector connector(UpstreamConfig config) {
    Dialer.DialSettings settings =
        new Dialer.DialSettings(config.transport(), config.connectTimeout(), config.maxResponse());
    return new Connector(
        dialers.apply(settings), flushes, config.transport().sessionTracking(), numbers);
  }
}
