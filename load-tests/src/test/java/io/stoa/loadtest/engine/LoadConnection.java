// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.stoa.ldap.protocol.BerWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the server. The first request opens it; a request after its end reopens it.
 * Requests are pipelined.
 *
 * <p>Threading: event loop.
 */
final class LoadConnection implements LdapMessages.Receiver {
  private static final byte[] UNBIND = {0x42, 0};
  private static final int BIND_REQUEST = 0x60;
  private static final int VERSION = 3;

  private final EventLoop loop;
  private final LdapProtocol.Settings settings;
  private final Deadlines deadlines;
  private final Latencies.OfThread latencies;
  private final ArrayDeque<PendingRequest> waiting = new ArrayDeque<>(1);
  private final IntObjectMap<PendingRequest> pending = new IntObjectHashMap<>(2);
  private @Nullable Channel channel;
  private boolean ready;
  private int lastId;
  private String ending = "connection closed by the server";

  LoadConnection(
      EventLoop loop,
      LdapProtocol.Settings settings,
      Deadlines deadlines,
      Latencies.OfThread latencies) {
    this.loop = loop;
    this.settings = settings;
    this.deadlines = deadlines;
    this.latencies = latencies;
  }

  Latencies.OfThread latencies() {
    return latencies;
  }

  void send(PendingRequest exchange) {
    exchange.begin(System.nanoTime(), settings.timeout().toNanos());
    deadlines.add(exchange);
    if (ready) {
      write(exchange);
    } else {
      waiting.add(exchange);
      if (channel == null) {
        connect();
      }
    }
  }

  private void connect() {
    boolean epoll = loop instanceof IoEventLoop io && io.isIoType(EpollIoHandler.class);
    ChannelFuture connecting =
        new Bootstrap()
            .group(loop)
            .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) settings.timeout().toMillis())
            .handler(new Handlers())
            .connect(settings.server());
    channel = connecting.channel();
    connecting.addListener(
        done -> {
          if (done.isSuccess()) {
            connected();
          } else {
            ending = "cannot connect: " + done.cause().getMessage();
            closed();
          }
        });
  }

  private void connected() {
    if (settings.bindDn() == null) {
      ready();
    } else {
      PendingRequest bind = new PendingRequest(bindRequest(settings.bindDn()), false, this::bound);
      bind.begin(System.nanoTime(), settings.timeout().toNanos());
      deadlines.add(bind);
      write(bind);
    }
  }

  private byte[] bindRequest(String dn) {
    BerWriter out = new BerWriter();
    int op = out.begin(BIND_REQUEST);
    out.integer(0x02, VERSION)
        .octets(0x04, dn.getBytes(StandardCharsets.UTF_8))
        .octets(0x80, settings.password().getBytes(StandardCharsets.UTF_8))
        .end(op);
    return out.toByteArray();
  }

  private void bound(PendingRequest bind) {
    if (bind.answer().resultCode() == 0) {
      ready();
    } else {
      ending =
          "bind of the connection failed: "
              + bind.answer().resultCode()
              + " "
              + bind.answer().text();
      close();
    }
  }

  private void ready() {
    ready = true;
    while (!waiting.isEmpty()) {
      PendingRequest exchange = waiting.remove();
      exchange.sent(System.nanoTime());
      write(exchange);
    }
  }

  private void write(PendingRequest exchange) {
    if (exchange.isOver()) {
      return;
    }
    if (exchange.onlyConnects()) {
      exchange.complete(0, "");
      return;
    }
    lastId = lastId == Integer.MAX_VALUE ? 1 : lastId + 1;
    pending.put(lastId, exchange);
    send(lastId, exchange.body());
  }

  private void send(int id, byte[] body) {
    Channel open = channel;
    if (open != null) {
      ByteBuf message = LdapMessages.encode(open.alloc(), id, body);
      open.writeAndFlush(message, open.voidPromise());
    }
  }

  @Override
  public void entry(int id, ByteBuf protocolOp) {
    PendingRequest exchange = pending.get(id);
    if (exchange == null) {
      return;
    }
    if (exchange.answer().keepsEntries()) {
      byte[] octets = new byte[protocolOp.readableBytes()];
      protocolOp.getBytes(protocolOp.readerIndex(), octets);
      exchange.answer().entry(octets);
    } else {
      exchange.answer().entry();
    }
  }

  @Override
  public void result(int id, int code, String text) {
    PendingRequest exchange = id == 0 ? null : pending.remove(id);
    if (exchange != null) {
      exchange.complete(code, text);
    } else if (id == 0) {
      ending = "notice of disconnection: " + code + " " + text;
    }
  }

  @Override
  public void failed(Throwable cause) {
    ending = String.valueOf(cause.getMessage());
    close();
  }

  @Override
  public void closed() {
    channel = null;
    ready = false;
    List<PendingRequest> unanswered = new ArrayList<>(pending.values());
    unanswered.addAll(waiting);
    pending.clear();
    waiting.clear();
    unanswered.forEach(exchange -> exchange.fail(ending));
  }

  /** Sends an unbind and closes the connection, if it is open. */
  void close() {
    Channel open = channel;
    if (open != null) {
      if (open.isActive()) {
        send(lastId + 1, UNBIND);
      }
      open.close();
    }
  }

  /**
   * Sets up the pipeline. On shared connections, requests written in one round of the event loop
   * are flushed together.
   */
  private final class Handlers extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel made) {
      if (settings.shared() > 0) {
        made.pipeline().addLast(new FlushConsolidationHandler(256, true));
      }
      made.pipeline().addLast(new LdapMessages(LoadConnection.this));
    }
  }
}
