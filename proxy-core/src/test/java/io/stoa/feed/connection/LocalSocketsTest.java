// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sockets of the file system wait, and are interrupted, as those of TCP. */
class LocalSocketsTest {
  private static final int MUCH = 4 << 20;

  private ServerSocketChannel server;
  private Socket socket;
  private SocketChannel other;

  @BeforeEach
  void connect(@TempDir Path directory) throws IOException {
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("s"));
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(address);
    socket = new LocalSockets(address.getPath()).createSocket("any", 389);
    other = server.accept();
  }

  @AfterEach
  void close() throws IOException {
    socket.close();
    other.close();
    server.close();
  }

  private CompletableFuture<Integer> reading() {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return socket.getInputStream().read();
          } catch (IOException e) {
            return -2;
          }
        });
  }

  @Test
  void aReadTimesOut() throws Exception {
    socket.setSoTimeout(50);
    assertThatThrownBy(() -> socket.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
    other.write(ByteBuffer.wrap(new byte[] {7}));
    assertThat(socket.getInputStream().read()).isEqualTo(7);
  }

  @Test
  void aReadWithoutATimeoutWaits() throws Exception {
    CompletableFuture<Integer> read = reading();
    other.write(ByteBuffer.wrap(new byte[] {8}));
    assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(8);
  }

  @Test
  void aReadEndsWithTheConnection() throws Exception {
    CompletableFuture<Integer> read = reading();
    other.close();
    assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(-1);
  }

  @Test
  void aReadEndsWhenItsSocketIsClosed() throws Exception {
    CompletableFuture<Integer> read = reading();
    socket.close();
    assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(-2);
    assertThat(socket.isClosed()).isTrue();
  }

  @Test
  void aWriteMayExceedTheSocketBuffer() throws Exception {
    CompletableFuture<Void> written =
        CompletableFuture.runAsync(
            () -> {
              try {
                socket.getOutputStream().write(new byte[MUCH]);
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    ByteBuffer all = ByteBuffer.allocate(MUCH);
    while (all.hasRemaining()) {
      assertThat(other.read(all)).isPositive();
    }
    written.get(30, TimeUnit.SECONDS);
  }
}
