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
 * Reads the header of the PROXY protocol, version 1 or 2, with which a load balancer begins a
 * connection, and leaves the pipeline. Event-loop confined.
 */
public final class ProxyHeaderDecoder extends SimpleChannelInboundHandler<HAProxyMessage> {
  /** Octets of additions to a header, which nobody here looks at. */
  private static final int MOST_ADDITIONS = 4 * 1024;

  private static final byte FIRST_OF_VERSION_1 = 'P';
  private static final byte FIRST_OF_VERSION_2 = '\r';

  private final Outcome outcome;
  private final Duration patience;
  private @Nullable Future<?> deadline;

  private ProxyHeaderDecoder(Outcome outcome, Duration patience) {
    this.outcome = outcome;
    this.patience = patience;
  }

  /** Hears what the header said. */
  public interface Outcome {
    /**
     * The connection may be used.
     *
     * @param client where the client comes from; null if the header does not say, as for the load
     *     balancer's own connections
     */
    void from(@Nullable InetSocketAddress client);

    /** There is no header; the connection is closed. */
    void missing();

    /** It did not come in time. */
    void late();
  }

  /** Whether connections of this channel's other end begin with a header. */
  public static boolean isDue(Channel channel, List<Network> loadBalancers) {
    return channel.remoteAddress() instanceof InetSocketAddress inet
        && loadBalancers.stream().anyMatch(network -> network.contains(inet.getAddress()));
  }

  /**
   * Has the header read before anything else.
   *
   * @param patience how long it may take to come
   */
  public static void expect(Channel channel, Duration patience, Outcome outcome) {
    channel
        .pipeline()
        .addFirst(HandlerNames.PROXY_HEADER, new ProxyHeaderDecoder(outcome, patience));
    channel.pipeline().addFirst(new Decoder());
  }

  /** Waits for nothing more if the first octet is that of no header; it may be a password's. */
  private static final class Decoder extends HAProxyMessageDecoder {
    private boolean begun;

    Decoder() {
      super(MOST_ADDITIONS);
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
    long millis = patience.toMillis();
    deadline = ctx.executor().schedule(outcome::late, millis, TimeUnit.MILLISECONDS);
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
    outcome.from(client);
  }

  private static @Nullable InetSocketAddress source(HAProxyMessage header) {
    byte[] address =
        header.command() == HAProxyCommand.LOCAL || header.sourceAddress() == null
            ? null
            : NetUtil.createByteArrayFromIpAddressString(header.sourceAddress());
    if (address == null) {
      return null; // of a family that is none of the Internet's
    }
    try {
      return new InetSocketAddress(InetAddress.getByAddress(address), header.sourcePort());
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 octets", e);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof DecoderException) { // a HAProxyProtocolException, or what went wrong in it
      outcome.missing();
    } else {
      ctx.fireExceptionCaught(cause);
    }
  }
}
