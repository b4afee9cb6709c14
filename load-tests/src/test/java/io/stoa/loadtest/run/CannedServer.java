// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.stoa.testing.Await;
import io.stoa.testing.FreePort;
import io.stoa.testing.Leftovers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;

/**
 * A server that answers each request at once, from the request alone. The limit of the generator
 * itself is measured against it. The server has a process of its own, as the servers that it
 * replaces. Its work for an answer is about that of a hit, so it needs the same time to compile.
 */
public final class CannedServer implements AutoCloseable {
  static final String JVM_OPTIONS = "-Xmx512m";
  private static final int THREADS = 2;
  private static final int BACKLOG = 4096;

  private final int port;
  private final Process process;

  private CannedServer(int port, Process process) {
    this.port = port;
    this.process = process;
  }

  static CannedServer start() {
    int port = FreePort.next();
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            JVM_OPTIONS,
            "-cp",
            System.getProperty("java.class.path"),
            CannedServer.class.getName(),
            String.valueOf(port));
    try {
      Process process = Leftovers.start(new ProcessBuilder(command).inheritIO());
      CannedServer server = new CannedServer(port, process);
      Await.until("the canned server listens", () -> !process.isAlive() || server.listens());
      if (!process.isAlive()) {
        throw new IllegalStateException("the canned server ended at once");
      }
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean listens() {
    try (Socket socket = new Socket()) {
      socket.connect(target().address(), 1000);
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  Target target() {
    return new Target("canned", new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  @Override
  public void close() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Runs the server until the process is ended. */
  public static void main(String[] arguments) throws InterruptedException {
    new ServerBootstrap()
        .group(new MultiThreadIoEventLoopGroup(THREADS, EpollIoHandler.newFactory()))
        .channel(EpollServerSocketChannel.class)
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel client) {
                client.pipeline().addLast(new Answering());
              }
            })
        .bind(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]))
        .sync()
        .channel()
        .closeFuture()
        .sync();
  }

  /** Splits the input into messages and reads their messageIDs. Threading: event loop. */
  private static final class Answering extends ByteToMessageDecoder {
    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
      ByteBuf answers = null;
      int end;
      while ((end = endOfMessage(in)) > 0) {
        answers = answers == null ? context.alloc().ioBuffer() : answers;
        in.skipBytes(headerLength(in));
        byte[] id = new byte[2 + in.getByte(in.readerIndex() + 1)];
        in.readBytes(id);
        CannedAnswers.answer(answers, id, in);
        in.readerIndex(end);
      }
      if (answers != null) {
        context.writeAndFlush(answers, context.voidPromise());
      }
    }

    private static int endOfMessage(ByteBuf in) {
      if (in.readableBytes() < 2 || in.readableBytes() < headerLength(in)) {
        return 0;
      }
      int begin = in.readerIndex();
      int header = headerLength(in);
      int length = in.getUnsignedByte(begin + 1);
      if (header > 2) {
        length = 0;
        for (int i = 2; i < header; i++) {
          length = length << 8 | in.getUnsignedByte(begin + i);
        }
      }
      return in.readableBytes() < header + length ? 0 : begin + header + length;
    }

    private static int headerLength(ByteBuf in) {
      int first = in.getUnsignedByte(in.readerIndex() + 1);
      return first < 0x80 ? 2 : 2 + (first & 0x7F);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
