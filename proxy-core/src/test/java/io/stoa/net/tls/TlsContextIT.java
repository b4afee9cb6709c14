// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.stoa.net.codec.HandlerNames;
import io.stoa.net.transport.Transport;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Leftovers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handshakes between two contexts of ours, and with the JDK's client, over real sockets. */
class TlsContextIT {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final EventLoopGroup group = Transport.best().eventLoops(1, "tls-test");
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Certificates certificates = Certificates.create();
  private final TlsContexts contexts = new TlsContexts();

  @AfterEach
  void end() {
    channels.close().awaitUninterruptibly();
    Transport.shutDown(group);
    contexts.close();
    certificates.close();
  }

  private TlsConfig own(Certificates.Pair pair) {
    return TlsConfig.DEFAULTS.identity(pair.certificate(), pair.key());
  }

  @Test
  void eachOfTwoExpiredRevocationListsIsReportedOnce() throws Exception {
    Path older = Files.createTempFile("older", ".crl");
    Path old = Files.createTempFile("old", ".crl");
    try {
      Files.write(older, certificates.revocationList(Duration.ofDays(-2)));
      Files.write(old, certificates.revocationList(Duration.ofDays(-1)));
      TlsContext context =
          contexts.server(own(certificates.server()).trusting(certificates.ca()).crl(older, old));
      for (int i = 0; i < 4; i++) {
        context.refresh();
      }
      assertThat(log.warnings().stream().filter(line -> line.contains(older.toString())))
          .hasSize(1);
      assertThat(log.warnings().stream().filter(line -> line.contains(old.toString()))).hasSize(1);
    } finally {
      Files.delete(older);
      Files.delete(old);
    }
  }

  private InetSocketAddress serve(TlsContext server) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channelFactory(Transport.best().serverChannels())
            .childHandler(initializer(alloc -> server.accept(alloc, PATIENCE)));
    Channel channel = bootstrap.bind("127.0.0.1", 0).syncUninterruptibly().channel();
    return (InetSocketAddress) channel.localAddress();
  }

  private ChannelInitializer<Channel> initializer(Function<ByteBufAllocator, SslHandler> handler) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        channel.pipeline().addLast(HandlerNames.TLS, handler.apply(channel.alloc()));
        channel.pipeline().addLast(new EchoHandler());
        channels.add(channel);
      }
    };
  }

  /** An echo; the futures of the handshakes tell what failed. */
  private static final class EchoHandler extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.writeAndFlush(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }

  private static SslHandler record(AtomicReference<SslHandler> place, SslHandler handler) {
    place.set(handler);
    return handler;
  }

  /** The failure of the handshake; null if it succeeds. */
  private Throwable connect(TlsContext client, InetSocketAddress address, String name) {
    AtomicReference<SslHandler> tls = new AtomicReference<>(); // who fails is soon in no pipeline
    Bootstrap bootstrap =
        new Bootstrap()
            .group(group)
            .channelFactory(Transport.best().clientChannels())
            .handler(initializer(alloc -> record(tls, client.connect(alloc, name, 636))));
    Channel channel = bootstrap.connect(address).syncUninterruptibly().channel();
    try {
      return tls.get().handshakeFuture().awaitUninterruptibly().cause();
    } finally {
      channel.close().awaitUninterruptibly();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void theServerNameIsVerifiedByDefault(TlsProvider provider) throws Exception {
    InetSocketAddress address =
        serve(contexts.server(own(certificates.server()).provider(provider)));
    TlsConfig config = TlsConfig.DEFAULTS.trusting(certificates.ca()).provider(provider);
    TlsContext strict = contexts.client(config, true);
    assertThat(connect(strict, address, "localhost")).isNull();
    assertThat(connect(strict, address, "127.0.0.1")).isNull();
    assertThat(connect(strict, address, "elsewhere.example.com")).isInstanceOf(SSLException.class);
    assertThat(connect(contexts.client(config, false), address, "elsewhere.example.com")).isNull();
  }

  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void anUnknownAuthorityAndAnExpiredCertificateAreRefused(TlsProvider provider) throws Exception {
    InetSocketAddress good = serve(contexts.server(own(certificates.server()).provider(provider)));
    Certificates.Pair old = certificates.expired("cn=localhost", "localhost");
    InetSocketAddress expired = serve(contexts.server(own(old).provider(provider)));
    TlsConfig config = TlsConfig.DEFAULTS.provider(provider);
    assertThat(connect(contexts.client(config, true), good, "localhost"))
        .isInstanceOf(SSLException.class);
    TlsContext client = contexts.client(config.trusting(certificates.ca()), true);
    assertThat(connect(client, expired, "localhost")).isInstanceOf(SSLException.class);
  }

  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void oldTlsVersionsAreRefused(TlsProvider provider) throws Exception {
    InetSocketAddress address =
        serve(contexts.server(own(certificates.server()).provider(provider)));
    String said = output(client(address, "-tls1_1", "-cipher", "ALL@SECLEVEL=0"));
    assertThat(said).contains("alert protocol version");
  }

  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void sessionsAreResumed(TlsProvider provider) throws Exception {
    InetSocketAddress address =
        serve(contexts.server(own(certificates.server()).provider(provider)));
    for (String protocol : TlsConfig.PROTOCOLS) {
      String said = resumption(address, protocol.equals("TLSv1.2") ? "-tls1_2" : "-tls1_3");
      assertThat(said).as(protocol).contains("Reused, " + protocol);
    }
  }

  private String resumption(InetSocketAddress address, String version) throws Exception {
    Path session = certificates.directory().resolve("session" + version);
    Process first = client(address, version, "-sess_out", session.toString());
    try (var typed = first.getOutputStream()) {
      // BoringSSL sends the tickets of TLS 1.3 together with its first answer.
      typed.write("hello\n".getBytes(StandardCharsets.US_ASCII));
      typed.flush();
      Await.until("the session is kept", () -> session.toFile().length() > 0);
      typed.write("Q\n".getBytes(StandardCharsets.US_ASCII));
    } finally {
      first.destroy();
    }
    return output(client(address, version, "-sess_in", session.toString()));
  }

  private static Process client(InetSocketAddress address, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("openssl", "s_client"));
    command.addAll(List.of("-connect", "127.0.0.1:" + address.getPort()));
    command.addAll(List.of(arguments));
    return Leftovers.start(new ProcessBuilder(command).redirectErrorStream(true));
  }

  private static String output(Process client) throws IOException {
    client.getOutputStream().close();
    return new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
  }

  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void changedFilesAreUsedWithoutARestart(TlsProvider provider) throws Exception {
    Certificates.Pair pair = certificates.server();
    InetSocketAddress address = serve(contexts.server(own(pair).provider(provider)));
    String before = certificates.shownAt(address);
    Certificates.replace(pair, certificates.server());
    Await.until(
        "the new certificate is shown", () -> !certificates.shownAt(address).equals(before));
  }

  /** In the middle of a renewal the key is new and the certificate old. */
  @Test
  void mismatchedFilesAreNotLoaded() throws Exception {
    Certificates.Pair pair = certificates.server();
    Certificates.Pair next = certificates.server();
    InetSocketAddress address = serve(contexts.server(own(pair)));
    String before = certificates.shownAt(address);
    Files.copy(next.key(), pair.key(), StandardCopyOption.REPLACE_EXISTING);
    Await.until(
        "the mistake is logged", () -> warnings("does not match the certificate").equals(1L));
    assertThat(certificates.shownAt(address)).isEqualTo(before);
    Files.copy(next.certificate(), pair.certificate(), StandardCopyOption.REPLACE_EXISTING);
    Await.until(
        "the new certificate is shown", () -> !certificates.shownAt(address).equals(before));
    assertThat(warnings("does not match the certificate")).isEqualTo(1);
  }

  @Test
  void anInvalidRenewalKeepsTheOldCertificate() throws Exception {
    Certificates.Pair pair = certificates.server();
    InetSocketAddress address = serve(contexts.server(own(pair)));
    String before = certificates.shownAt(address);
    Certificates.replace(pair, certificates.expired("cn=localhost", "localhost"));
    Await.until("the expiry is logged", () -> warnings(" expired at ").equals(1L));
    assertThat(certificates.shownAt(address)).isEqualTo(before);
    Certificates.replace(pair, certificates.notYetValid("localhost"));
    Await.until("the time is logged", () -> warnings(" is not valid before ").equals(1L));
    assertThat(certificates.shownAt(address)).isEqualTo(before);
    Certificates.replace(pair, certificates.server("other.example.com"));
    Await.until("the hosts are logged", () -> warnings(" is for other hosts ").equals(1L));
    assertThat(certificates.shownAt(address)).isEqualTo(before);
    Certificates.replace(pair, certificates.server());
    Await.until(
        "the new certificate is shown", () -> !certificates.shownAt(address).equals(before));
    assertThat(contexts.status()).singleElement().matches(status -> status.failures() >= 3);
  }

  /** Old authorities stay in chain files for years. */
  @Test
  void onlyTheFirstCertificateOfAChainMustBeValid() throws Exception {
    Certificates.Pair valid = certificates.server();
    Certificates.Pair old = certificates.expired("cn=localhost", "localhost");
    String own = Files.readString(valid.certificate());
    String other = Files.readString(old.certificate());
    Files.writeString(valid.certificate(), own + "\n" + other);
    assertThat(TlsContexts.invalidity(own(valid))).isEmpty();
    Files.writeString(old.certificate(), other + "\n" + own);
    assertThat(TlsContexts.invalidity(own(old))).contains(" expired at ");
  }

  @Test
  void expiredAuthoritiesDoNotReplaceValidOnes() throws Exception {
    Certificates.Pair old = certificates.expired("cn=old authority");
    Path ca = Files.copy(certificates.ca(), old.key().resolveSibling("bundle.pem"));
    contexts.client(TlsConfig.DEFAULTS.trusting(ca), true);
    Files.copy(old.certificate(), ca, StandardCopyOption.REPLACE_EXISTING);
    Await.until(
        "the authorities are refused",
        () ->
            warnings("bundle.pem contains no certificate that is valid now; the first one expired")
                .equals(1L));
    Files.writeString(
        ca, Files.readString(old.certificate()) + "\n" + Files.readString(certificates.ca()));
    Await.until("the bundle is in use", () -> contexts.status().get(0).reloads() == 1);
  }

  private Long warnings(String text) {
    return log.warnings().stream().filter(line -> line.contains(text)).count();
  }

  @Test
  void unusableFilesAreNamedWithARemedy() throws Exception {
    Certificates.Pair pair = certificates.server();
    Path none = certificates.directory().resolve("none.pem");
    refused(own(new Certificates.Pair(none, pair.key())), "none.pem: no such file");
    refused(own(new Certificates.Pair(pair.key(), pair.key())), "certificate");
    refused(own(new Certificates.Pair(pair.certificate(), pair.certificate())), "no private key");
    refused(
        own(new Certificates.Pair(pair.certificate(), certificates.server().key())),
        "does not match the certificate");
    Path old = certificates.directory().resolve("old.pem");
    Files.writeString(
        old, "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n");
    refused(own(new Certificates.Pair(pair.certificate(), old)), "openssl pkcs8 -topk8");
  }

  private void refused(TlsConfig config, String reason) {
    assertThatThrownBy(() -> contexts.server(config))
        .isInstanceOf(TlsException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void encryptedKeysAreReadWithTheirPassword() throws Exception {
    Certificates.Pair pair = certificates.server();
    Path encrypted = certificates.directory().resolve("encrypted.pem");
    Path password = certificates.directory().resolve("password");
    Files.writeString(password, "correct horse\nnot this\n");
    Process openssl =
        new ProcessBuilder(
                List.of(
                    "openssl",
                    "pkcs8",
                    "-topk8",
                    "-v2",
                    "aes-256-cbc",
                    "-in",
                    pair.key().toString(),
                    "-out",
                    encrypted.toString(),
                    "-passout",
                    "pass:correct horse"))
            .inheritIO()
            .start();
    assertThat(openssl.waitFor()).isZero();
    refused(own(new Certificates.Pair(pair.certificate(), encrypted)), "set keyPasswordFile");
    TlsConfig config = own(new Certificates.Pair(pair.certificate(), encrypted));
    TlsConfig withPassword =
        new TlsConfig(
            config.certificate(),
            config.key(),
            password,
            null,
            config.clientAuth(),
            config.protocols(),
            config.ciphers(),
            config.provider(),
            config.crl());
    assertThat(certificates.shownAt(serve(contexts.server(withPassword)))).isNotEmpty();
  }
}
