// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.proxyprotocol;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolException;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import io.stoa.net.codec.HandlerNames;
import io.stoa.net.peer.Network;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads the header of the PROXY protocol, version 1 or 2, that a load balancer sends at the start
 * of a connection. Afterwards it removes itself from the pipeline.
 *
 * <p>Threading: event loop.
 */
public final class ProxyHeaderDecoder extends SimpleChannelInboundHandler<HAProxyMessage> {
  /** Maximum octets of TLVs in a header: 4,096. Their contents are ignored. */
  private static final int MAX_ADDITIONS = 4 * 1024;

  private static final byte FIRST_OF_VERSION_1 = 'P';
  private static final byte FIRST_OF_VERSION_2 = '\r';

  private final HeaderListener listener;
  private final Duration timeout;
  private @Nullable Future<?> deadline;

  private ProxyHeaderDecoder(HeaderListener listener, Duration timeout) {
    this.listener = listener;
    this.timeout = timeout;
  }

  /** Receives the result of reading the header. */
  public interface HeaderListener {
    /**
     * Called when the header has been read. The connection may be used.
     *
     * @param client address of the client; null if the header has none, as for health checks of the
     *     load balancer
     */
    void onHeader(@Nullable InetSocketAddress client);

    /** Called when the connection begins with something else; the receiver closes it. */
    void onMissing();

    /** Called when the header has not arrived in time. */
    void onTimeout();
  }

  /** True if the peer is one of the load balancers, whose connections must begin with a header. */
  public static boolean isDue(Channel channel, List<Network> loadBalancers) {
    return channel.remoteAddress() instanceof InetSocketAddress inet
        && loadBalancers.stream().anyMatch(network -> network.contains(inet.getAddress()));
  }

  /**
   * Adds the decoder, so that the header is read before anything else.
   *
   * @param timeout maximum time until the header must be complete
   */
  public static void expect(Channel channel, Duration timeout, HeaderListener outcome) {
    channel
        .pipeline()
        .addFirst(HandlerNames.PROXY_HEADER, new ProxyHeaderDecoder(outcome, timeout));
    channel.pipeline().addFirst(new Decoder());
  }

  /**
   * Rejects a connection at once if its first octet does not begin a header. The octets are zeroed,
   * since they may hold a password.
   */
  private static final class Decoder extends HAProxyMessageDecoder {
    private boolean begun;

    Decoder() {
      super(MAX_ADDITIONS);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      ByteBuf octets = (ByteBuf) message;
      if (begun || isHeader(octets)) {
        begun = true;
        super.channelRead(ctx, octets);
      } else {
        octets.setZero(octets.readerIndex(), octets.readableBytes());
        octets.release();
        ctx.fireExceptionCaught(new HAProxyProtocolException("no header"));
      }
    }

    private static boolean isHeader(ByteBuf octets) {
      byte first = octets.isReadable() ? octets.getByte(octets.readerIndex()) : 0;
      return first == FIRST_OF_VERSION_1 || first == FIRST_OF_VERSION_2;
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    long millis = timeout.toMillis();
    deadline = ctx.executor().schedule(listener::onTimeout, millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    Future<?> running = deadline;
    if (running != null) {
      running.cancel(false);
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HAProxyMessage header) {
    InetSocketAddress client = source(header);
    ctx.pipeline().remove(this);
    listener.onHeader(client);
  }

  private static @Nullable InetSocketAddress source(HAProxyMessage header) {
    byte[] address =
        header.command() == HAProxyCommand.LOCAL || header.sourceAddress() == null
            ? null
            : NetUtil.createByteArrayFromIpAddressString(header.sourceAddress());
    if (address == null) {
      return null; // the address family is not IPv4 or IPv6
    }
    try {
      return new InetSocketAddress(InetAddress.getByAddress(address), header.sourcePort());
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 octets", e);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // A HAProxyProtocolException, or another failure of the decoder
    if (cause instanceof DecoderException) {
      listener.onMissing();
    } else {
      ctx.fireExceptionCaught(cause);
    }
  }
}
