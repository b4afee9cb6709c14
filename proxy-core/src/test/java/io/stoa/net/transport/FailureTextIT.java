// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.stoa.testing.Certificates;
import io.stoa.testing.FreePort;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.concurrent.TimeUnit;
import javax.naming.NameNotFoundException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The phrases of real failures: of files, sockets and TLS handshakes. */
class FailureTextIT {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  @TempDir private Path directory;

  @Test
  void filesHaveTheReasonOfTheSystem() throws IOException {
    assertText(() -> Files.readString(directory.resolve("absent")), "no such file");
    assertText(() -> Files.readString(directory), "is a directory");
    Path file = Files.write(directory.resolve("file"), new byte[] {(byte) 0xff});
    assertText(() -> Files.readString(file), "not valid UTF-8");
    assertText(() -> Files.readString(file.resolve("below")), "not a directory");
    assertText(() -> FileChannel.open(directory.resolve("absent")), "no such file");
    assertText(() -> new FileInputStream("/absent/file").close(), "no such file");
  }

  @Test
  void fullDevice() {
    Path full = Path.of("/dev/full");
    assertText(
        () -> {
          try (OutputStream out = Files.newOutputStream(full)) {
            out.write(1);
          }
        },
        "no space left on device");
  }

  /** The path of a file is not read as a reason. */
  @Test
  void aPathIsNotTakenForTheReason() {
    Exception failure = new FileSystemException("/connection refused", null, "Too many open files");
    assertThat(FailureText.of(failure)).isEqualTo("too many open files");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void socketsOfNetty(boolean epoll) throws Exception {
    EventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(
            1, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    try (ServerSocket taken = new ServerSocket(0, 1, LOOPBACK)) {
      ChannelFuture bound =
          new ServerBootstrap()
              .group(loop)
              .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
              .childHandler(new ChannelInboundHandlerAdapter())
              .bind(LOOPBACK, taken.getLocalPort());
      assertThat(FailureText.ofPort(cause(bound))).isEqualTo("address already in use");
      Bootstrap client =
          new Bootstrap()
              .group(loop)
              .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
              .handler(new ChannelInboundHandlerAdapter());
      assertThat(FailureText.of(cause(client.connect(LOOPBACK, FreePort.next()))))
          .isEqualTo("connection refused");
      Bootstrap other = client.clone().handler(new ChannelInboundHandlerAdapter());
      assertThat(FailureText.of(cause(other.connect("host.invalid", 1)))).isEqualTo("unknown host");
    } finally {
      loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
    }
  }

  private static Throwable cause(ChannelFuture future) {
    future.awaitUninterruptibly();
    assertThat(future.isSuccess()).isFalse();
    return future.cause();
  }

  @Test
  void socketsOfJava() throws Exception {
    int free = FreePort.next();
    assertText(() -> new Socket(LOOPBACK, free).close(), "connection refused");
    try (ServerSocket taken = new ServerSocket(0, 1, LOOPBACK);
        Socket client = new Socket(LOOPBACK, taken.getLocalPort())) {
      Socket accepted = taken.accept();
      assertText(
          () -> new ServerSocket(taken.getLocalPort(), 1, LOOPBACK), "address already in use");
      client.setSoTimeout(1);
      assertText(() -> client.getInputStream().read(), "timed out");
      client.setSoTimeout(0);
      accepted.setSoLinger(true, 0);
      accepted.close();
      assertText(() -> client.getInputStream().read(), "connection reset");
      client.close();
      assertText(() -> client.getInputStream().read(), "connection closed");
    }
  }

  @Test
  void handshakes() throws Exception {
    try (Certificates known = Certificates.create();
        Certificates other = Certificates.create()) {
      assertThat(handshake(known, known.server(), other.ca()))
          .isEqualTo("certificate is not trusted");
      assertThat(handshake(known, known.server("other.example.com"), known.ca()))
          .isEqualTo("certificate is for another host");
      assertThat(handshake(known, known.expired("cn=localhost", "localhost"), known.ca()))
          .matches("certificate expired at 20.*Z");
      assertThat(handshake(known, known.notYetValid("localhost"), known.ca()))
          .matches("certificate is not valid before 20.*Z");
    }
  }

  /** Returns the phrase of a handshake that the client refuses. */
  private static String handshake(Certificates of, Certificates.Pair server, Path trusted)
      throws Exception {
    SSLContext context = context(trusted);
    try (ServerSocket listener = new ServerSocket(0, 1, LOOPBACK)) {
      Thread accepting = new Thread(() -> accept(listener, of, server));
      accepting.setDaemon(true);
      accepting.start();
      try (SSLSocket client =
          (SSLSocket)
              context.getSocketFactory().createSocket("localhost", listener.getLocalPort())) {
        SSLParameters parameters = client.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("LDAPS");
        client.setSSLParameters(parameters);
        return FailureText.of(catchThrowable(client::startHandshake));
      }
    }
  }

  private static void accept(ServerSocket listener, Certificates of, Certificates.Pair server) {
    try (Socket plain = listener.accept();
        SSLSocket tls =
            (SSLSocket)
                of.clientContext(server)
                    .getSocketFactory()
                    .createSocket(plain, "localhost", plain.getPort(), true)) {
      tls.setUseClientMode(false);
      tls.startHandshake();
    } catch (IOException refused) {
      // the client has the failure that is examined
    }
  }

  private static SSLContext context(Path authority) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (InputStream in = Files.newInputStream(authority)) {
      Certificate ca = CertificateFactory.getInstance("X.509").generateCertificate(in);
      store.setCertificateEntry("ca", ca);
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /** Alerts have the names of RFC 8446, whichever implementation has received them. */
  @ParameterizedTest
  @CsvSource({
    "Received fatal alert: handshake_failure, TLS alert handshake_failure",
    "(bad_certificate) Received fatal alert: bad_certificate, TLS alert bad_certificate",
    "error:10000410:SSL routines:OPENSSL_internal:SSLV3_ALERT_HANDSHAKE_FAILURE,"
        + " TLS alert handshake_failure",
    "error:10000418:SSL routines:OPENSSL_internal:TLSV1_ALERT_UNKNOWN_CA, TLS alert unknown_ca",
    "error:1000045c:SSL routines:OPENSSL_internal:TLSV1_CERTIFICATE_REQUIRED,"
        + " TLS alert certificate_required",
    "error:100000b8:SSL routines:OPENSSL_internal:NO_SHARED_CIPHER, no cipher suite in common",
    "error:100000f0:SSL routines:OPENSSL_internal:UNSUPPORTED_PROTOCOL, no TLS version in common",
    "Remote host terminated the handshake, connection closed",
    "an unknown text, TLS error; details at level DEBUG"
  })
  void textsOfTls(String message, String text) {
    assertThat(FailureText.of(new SSLHandshakeException(message))).isEqualTo(text);
    assertThat(FailureText.of(new IOException(new SSLException(message)))).isEqualTo(text);
  }

  @Test
  void otherFailures() {
    assertThat(FailureText.of(new ClosedChannelException())).isEqualTo("connection closed");
    assertThat(FailureText.of(new UnknownHostException("x"))).isEqualTo("unknown host");
    assertThat(FailureText.of(new SocketTimeoutException())).isEqualTo("timed out");
    assertThat(FailureText.of(new NameNotFoundException("DNS name not found [response code 3]")))
        .isEqualTo("domain not found");
    assertThat(FailureText.of(new OutOfMemoryError("Cannot reserve 1 bytes of direct buffer")))
        .isEqualTo("direct memory exhausted");
    assertThat(FailureText.of(new OutOfMemoryError("Java heap space")))
        .isEqualTo("heap memory exhausted");
    assertThat(FailureText.of(new IOException("java.lang.Oops")))
        .isEqualTo("I/O error; details at level DEBUG");
    assertThat(FailureText.of(new IllegalStateException("null")))
        .isEqualTo("internal error; details at level DEBUG");
    assertThat(FailureText.of(new IOException(new DescribedException("own words"))))
        .isEqualTo("own words");
  }

  private static void assertText(ThrowingCallable call, String text) {
    assertThat(FailureText.of(catchThrowable(call))).isEqualTo(text);
  }
}
