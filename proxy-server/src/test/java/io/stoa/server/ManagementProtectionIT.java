// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.stoa.client.listener.ListenerConfig;
import io.stoa.net.tls.TlsConfig;
import io.stoa.server.config.ManagementAddress;
import io.stoa.server.config.ManagementConfig;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.InMemoryDirectory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS and the token of the management listener, over the wire. */
class ManagementProtectionIT {
  private static final String TOKEN = "0123456789abcdef";
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final ListenerConfig ANY_PORT = new ListenerConfig("127.0.0.1", 0);

  @TempDir Path folder;

  private final Certificates certificates = Certificates.create();
  private InMemoryDirectory directory;
  private Path token;

  @BeforeEach
  void start() throws IOException {
    directory = InMemoryDirectory.start(1);
    token = Files.writeString(folder.resolve("token"), TOKEN + "\n");
  }

  @AfterEach
  void stop() {
    directory.close();
    certificates.close();
  }

  private TlsConfig tls(Certificates.Pair own) {
    return TlsConfig.DEFAULTS.identity(own.certificate(), own.key());
  }

  private ManagementConfig protectedBy(Certificates.Pair own) {
    return new ManagementConfig(new ManagementAddress(ANY_PORT, false), tls(own), token);
  }

  private StoaServer start(ManagementConfig management) {
    StoaServer server =
        TestServers.start(TestServers.config(directory.port()).withManagement(management));
    Await.until("Stoa is ready", () -> server.proxy().status().ready());
    return server;
  }

  private HttpResponse<String> get(StoaServer server, String path, String... headers)
      throws IOException, InterruptedException {
    InetSocketAddress address = Objects.requireNonNull(server.managementAddress());
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + address.getPort() + path))
            .timeout(PATIENCE);
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpClient client = HttpClient.newBuilder().sslContext(certificates.clientContext()).build();
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private int status(StoaServer server, String path, String sent)
      throws IOException, InterruptedException {
    return get(server, path, "Authorization", "Bearer " + sent).statusCode();
  }

  @Test
  void onlyCallersWithTheTokenReadTheMetrics() throws Exception {
    try (StoaServer server = start(protectedBy(certificates.server()))) {
      HttpResponse<String> refused = get(server, "/metrics");
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.headers().firstValue("WWW-Authenticate"))
          .contains("Bearer realm=\"stoa\"");
      assertThat(refused.body()).contains("management.tokenFile").doesNotContain(TOKEN);
      assertThat(status(server, "/metrics", TOKEN + "x")).isEqualTo(401);
      assertThat(status(server, "/metrics", "")).isEqualTo(401);
      assertThat(status(server, "/nothing", "wrong")).isEqualTo(401);
      assertThat(status(server, "/nothing", TOKEN)).isEqualTo(404);
      assertThat(status(server, "/monitor", "wrong")).isEqualTo(401);
      assertThat(status(server, "/monitor?base=cn=Feeds", TOKEN)).isEqualTo(200);
      assertThat(get(server, "/").statusCode()).isEqualTo(200);
      HttpResponse<String> metrics = get(server, "/metrics", "Authorization", "bearer " + TOKEN);
      assertThat(metrics.statusCode()).isEqualTo(200);
      assertThat(metrics.body())
          .contains("stoa_ready 1.0")
          .containsPattern("expiry_timestamp_seconds\\{shown_to=\"monitoring\"} [0-9.E]+\n");
    }
  }

  @Test
  void aNewTokenIsTakenIntoUse() throws Exception {
    try (StoaServer server = start(protectedBy(certificates.server()))) {
      Files.writeString(token, "fedcba9876543210\n");
      Await.until("it is valid", () -> status(server, "/metrics", "fedcba9876543210") == 200);
      assertThat(status(server, "/metrics", TOKEN)).isEqualTo(401);
      Files.delete(token);
      Await.until("none is valid", () -> status(server, "/metrics", "fedcba9876543210") == 401);
      Files.writeString(token, TOKEN);
      Await.until("the old one is valid", () -> status(server, "/metrics", TOKEN) == 200);
    }
  }

  @Test
  void probesNeedNoTokenAndLearnNoReason() throws Exception {
    try (StoaServer server = start(protectedBy(certificates.server()))) {
      assertThat(get(server, "/livez").body()).isEqualTo("alive\n");
      assertThat(get(server, "/readyz").body()).isEqualTo("ready\n");
      directory.close();
      Await.until("Stoa is not ready", () -> get(server, "/readyz").statusCode() == 503);
      assertThat(get(server, "/readyz").body()).isEqualTo("not ready\n");
      assertThat(get(server, "/readyz", "Authorization", "Bearer " + TOKEN).body())
          .startsWith("not ready: ");
    }
  }

  @Test
  void aPlainRequestGetsNoAnswer() {
    try (StoaServer server = start(protectedBy(certificates.server()))) {
      InetSocketAddress address = Objects.requireNonNull(server.managementAddress());
      assertThatExceptionOfType(RuntimeException.class)
          .isThrownBy(() -> HttpExchange.get(address, "/livez"));
      assertThat(server.proxy().status().ready()).isTrue();
    }
  }

  @Test
  void aRenewedCertificateIsTakenIntoUse() throws Exception {
    Certificates.Pair own = certificates.server();
    try (StoaServer server = start(protectedBy(own))) {
      InetSocketAddress address = Objects.requireNonNull(server.managementAddress());
      String before = certificates.shownAt(address);
      Certificates.replace(own, certificates.server());
      Await.until("the new one is shown", () -> !certificates.shownAt(address).equals(before));
      assertThat(get(server, "/livez").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void unusableFilesPreventTheStart() throws IOException {
    Files.writeString(token, "short");
    assertThatExceptionOfType(StartException.class)
        .isThrownBy(
            () ->
                StoaServer.start(
                    TestServers.config(directory.port())
                        .withManagement(protectedBy(certificates.server()))))
        .withMessageContaining("must hold one token of 16 to 1000");
  }

  @Test
  void otherAddressesThanLoopbackRequireBoth() {
    ManagementAddress all = ManagementAddress.parse("0.0.0.0:9389");
    TlsConfig tls = tls(certificates.server());
    assertThat(new ManagementConfig(all, tls, token).listener()).isNotNull();
    for (String host : new String[] {"0.0.0.0", "192.0.2.1", "[::]", "stoa.example.com"}) {
      ManagementAddress other = ManagementAddress.parse(host + ":9389");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> new ManagementConfig(other, tls, null))
          .withMessageContaining("is not a loopback address");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> new ManagementConfig(other, null, token));
    }
    for (String host : new String[] {"127.0.0.1", "127.1.2.3", "[::1]", "localhost"}) {
      assertThat(ManagementConfig.parse(host + ":9389").listener()).isNotNull();
    }
  }
}
