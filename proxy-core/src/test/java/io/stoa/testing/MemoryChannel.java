// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;

/**
 * A connection whose other end is the test. Received octets wait while Stoa does not read, and sent
 * octets wait while the test does not take them.
 *
 * <p>Threading: confined to the test's thread.
 */
public final class MemoryChannel extends AbstractChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false);

  private final ManualLoop loop;
  private final DefaultChannelConfig config = new DefaultChannelConfig(this);
  private final SocketAddress remote;
  private final Queue<ByteBuf> inbound = new ArrayDeque<>();
  private final ByteArrayOutputStream outbound = new ByteArrayOutputStream();
  private int parsed;
  private boolean open = true;
  private boolean taking = true;
  private boolean wanted;

  /** Opens a connection on a loop, from an address. */
  public MemoryChannel(ManualLoop loop, SocketAddress remote) {
    super(null);
    this.loop = loop;
    this.remote = remote;
  }

  /** Opens a connection on a loop from this machine. */
  public MemoryChannel(ManualLoop loop) {
    this(loop, new InetSocketAddress(InetAddress.getLoopbackAddress(), 50_000));
  }

  // The other end

  /** Sends a message to Stoa. */
  public void send(int messageId, RawRequest message) {
    send(message.encode(messageId));
  }

  /** Sends octets to Stoa, as one read. */
  public void send(byte[] octets) {
    inbound.add(Unpooled.wrappedBuffer(octets));
    deliver();
    loop.run();
  }

  /** Closes the other end. */
  public void hangUp() {
    unsafe().close(voidPromise());
    loop.run();
  }

  /** Stops to take what Stoa sends, as a client does that does not read. */
  public void stall() {
    taking = false;
  }

  /** Takes what Stoa has sent, and what follows. */
  public void resume() {
    taking = true;
    unsafe().flush();
    loop.run();
  }

  /** Returns the messages that Stoa has sent since the last call. */
  public List<RawMessage> sent() {
    loop.run();
    byte[] all = outbound.toByteArray();
    List<RawMessage> messages = new ArrayList<>();
    while (parsed < all.length) {
      int end = new TlvCursor(all, parsed).skip().position();
      messages.add(RawMessage.parse(Arrays.copyOfRange(all, parsed, end)));
      parsed = end;
    }
    return messages;
  }

  /** True if Stoa reads from the connection. */
  public boolean isRead() {
    return config.isAutoRead();
  }

  /** Releases what Stoa has not read. */
  private void discard() {
    inbound.forEach(ByteBuf::release);
    inbound.clear();
  }

  // The channel

  private void deliver() {
    while (open && wanted && !inbound.isEmpty()) {
      wanted = false;
      pipeline().fireChannelRead(inbound.poll());
      pipeline().fireChannelReadComplete();
    }
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new AbstractUnsafe() {
      @Override
      public void connect(SocketAddress to, SocketAddress from, ChannelPromise promise) {
        promise.setSuccess();
      }
    };
  }

  @Override
  protected boolean isCompatible(EventLoop any) {
    return true;
  }

  @Override
  protected SocketAddress localAddress0() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 389);
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return remote;
  }

  @Override
  protected void doBind(SocketAddress address) {}

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doClose() {
    open = false;
    discard();
  }

  @Override
  protected void doBeginRead() {
    if (!wanted) {
      wanted = true;
      eventLoop().execute(this::deliver);
    }
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer buffer) {
    for (Object next = buffer.current(); taking && next != null; next = buffer.current()) {
      outbound.writeBytes(ByteBufUtil.getBytes((ByteBuf) next));
      buffer.remove();
    }
  }

  @Override
  public ChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean isActive() {
    return open && isRegistered();
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }
}
