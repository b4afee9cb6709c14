// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.ResultCode;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.testing.Await;
import io.stoa.testing.FreePort;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that sends an octet now and then holds nobody up: each is sooner than a timeout. */
class SdkLinkTest {
  private static final Duration SHORT = Duration.ofMillis(100);

  /** In which a bind is answered even when the machine stands still for a while. */
  private static final Duration ENOUGH = Duration.ofMillis(700);

  private static final int PAUSE_MILLIS = 20;

  /** Longer than anything may take. */
  private static final int MANY = 320;

  /** That the bind has succeeded (RFC 4511, section 4.2.2). */
  private static final byte[] BOUND = HexFormat.of().parseHex("300c02010161070a010004000400");

  /** That is said with a diagnostic message of almost a million octets. */
  private static final byte[] WORDY =
      HexFormat.of().parseHex("308310000002010161830ff0000a0100040004830fe000");

  /** An entry with such a name, as the answer to the second request. */
  private static final byte[] LONG =
      HexFormat.of().parseHex("308310000002010264830ff00004830fe000");

  /** That TLS may begin (RFC 4511, section 4.14.2). */
  private static final byte[] BEGIN = HexFormat.of().parseHex("300c02010178070a010004000400");

  /** A handshake record of TLS 1.2 with 16,000 octets begins (RFC 5246, section 6.2.1). */
  private static final byte[] SECURE = HexFormat.of().parseHex("1603033e80");

  /** A request: to delete the root. */
  private static final byte[] ANY = HexFormat.of().parseHex("4a00");

  @TempDir Path files;
  private ServerSocket listener;
  private Thread server;
  private volatile byte[][] responses = {};
  private volatile boolean reached;
  private volatile boolean over;
  private final AtomicInteger more = new AtomicInteger();

  @BeforeEach
  void listen() throws IOException {
    listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    server = new Thread(this::serve, "test-server");
    server.start();
  }

  @AfterEach
  void close() throws Exception {
    over = true;
    listener.close();
    server.join();
  }

  /** Answers requests in turn by what it is to say; the last of it has no end. */
  private void serve() {
    try (Socket socket = listener.accept()) {
      reached = true;
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      for (byte[] each : responses) {
        in.read(new byte[10_000]);
        out.write(each);
      }
      while (!over) {
        Thread.sleep(PAUSE_MILLIS);
        out.write(0);
        more.incrementAndGet();
      }
    } catch (IOException e) {
      over = true; // the other one has ended it
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private SdkLink link(Duration timeout) throws IOException {
    Path password = Files.writeString(files.resolve("password"), "secret");
    return new SdkLink(new FeedCredentials("cn=feed,dc=x", password), timeout, 10_000_000);
  }

  private FeedServer server(FeedTls tls) {
    return FeedServer.tcp("drip", "127.0.0.1", listener.getLocalPort(), tls);
  }

  private void awaitEnd() {
    Await.until("the connection has ended", () -> over);
  }

  /**
   * Opening fails, and the server has been reached: a pause of the machine may use up the deadline
   * before there is a connection, so that another one is opened.
   */
  private void failsAtTheServer(ThrowingCallable opening) {
    Await.until(
        "the server is reached",
        () -> {
          assertThatThrownBy(opening).isInstanceOf(IOException.class);
          return reached;
        });
  }

  @Test
  void theBindOfAFeedHasADeadline() {
    responses = new byte[][] {WORDY};
    failsAtTheServer(() -> link(SHORT).openForFeed(server(null)).close());
    awaitEnd();
  }

  @Test
  void theTlsHandshakeHasADeadline() {
    responses = new byte[][] {BEGIN, SECURE};
    FeedTls tls = new FeedTls(SdkLinkTest::trust, List.of("TLSv1.2"), List.of(), true, true);
    failsAtTheServer(() -> link(SHORT).open(server(tls)).close());
    awaitEnd();
  }

  private static SSLContext trust() throws IOException {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new IOException(e);
    }
  }

  @Test
  void aReadBeforeListeningHasADeadline() throws Exception {
    responses = new byte[][] {BOUND, LONG};
    try (FeedConnection connection = link(ENOUGH).openForFeed(server(null))) {
      assertThatThrownBy(() -> connection.sdk().getRootDSE()).isInstanceOf(LDAPException.class);
      awaitEnd();
    }
  }

  @Test
  void aListeningConnectionHasNoDeadline() throws Exception {
    responses = new byte[][] {BOUND, LONG};
    CompletableFuture<String> lost = new CompletableFuture<>();
    try (FeedConnection connection = link(ENOUGH).openForFeed(server(null))) {
      connection.listen("test-feed", "dc=test", receiver(lost));
      connection.send(LdapMessage.of(2, ANY, List.of()));
      Await.until("much more was sent", () -> more.get() > MANY);
      assertThat(lost).isNotDone();
    }
    awaitEnd();
  }

  private static FeedConnection.Receiver receiver(CompletableFuture<String> lost) {
    return new FeedConnection.Receiver() {
      @Override
      public void onMessage(LdapMessage message) {
        message.release();
      }

      @Override
      public void onLost(String why) {
        lost.complete(why);
      }
    };
  }

  @Test
  void sdkErrorsAreShortened() throws IOException {
    assertThat(SdkLink.text(new LDAPException(ResultCode.INVALID_CREDENTIALS)))
        .isEqualTo("invalid credentials");
    LDAPResult busy = new LDAPResult(1, ResultCode.BUSY, "later", null, new String[0], null);
    assertThat(SdkLink.text(new LDAPException(busy))).isEqualTo("busy: later");
    int port = FreePort.next();
    assertThatThrownBy(() -> new LDAPConnection("127.0.0.1", port).close())
        .isInstanceOfSatisfying(
            LDAPException.class,
            e -> assertThat(SdkLink.text(e)).isEqualTo("connect error: connection refused"));
  }
}
