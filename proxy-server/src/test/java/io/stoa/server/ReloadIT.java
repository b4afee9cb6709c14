// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.Requests.search;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.testing.Await;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.ScriptedUpstream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGHUP has the process read its configuration again. */
class ReloadIT {
  private static final RawRequest FIND = search("dc=example,dc=com").filter("(uid=anna)").request();
  private static final RawRequest CHANGE =
      Requests.replace("uid=anna,dc=example,dc=com", "sn", "new");

  @TempDir Path directory;

  private ScriptedUpstream first;
  private ScriptedUpstream second;

  @BeforeEach
  void start() {
    first = ScriptedUpstream.start();
    second = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    first.close();
    second.close();
  }

  private Path file() {
    return directory.resolve("stoa.yaml");
  }

  /** A configuration with these fields of the two servers, and these lines behind. */
  private void write(String ofFirst, String ofSecond, String... more) throws IOException {
    String text =
        """
        listen: ['127.0.0.1:0']
        management: {listen: none}
        upstream:
          servers:
            - {url: 'ldap://127.0.0.1:%d', role: primary%s}
            - {url: 'ldap://127.0.0.1:%d', role: primary%s}
        """
            .formatted(first.port(), ofFirst, second.port(), ofSecond);
    Files.writeString(file(), text + String.join("\n", more) + "\n");
  }

  private static Supplier<RawLdapClient> clients(CommandProcess process) {
    Matcher address = process.await("StoaServer: listening on 127\\.0\\.0\\.1:(\\d+)");
    int port = Integer.parseInt(address.group(1));
    process.await("INFO .*: ready$");
    return () ->
        RawLdapClient.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /** Clients read and write all the time; a file with a mistake changes nothing. */
  @Test
  void sighupReloadsTheFile() throws Exception {
    write("", "");
    try (CommandProcess process = CommandProcess.start("run", "--config", file().toString());
        ClientLoop load = new ClientLoop(clients(process), List.of(FIND, CHANGE))) {
      String url = "ldap://127.0.0.1:" + first.port();
      for (int round = 1; round <= 2; round++) {
        load.more(50);
        write(", drained: true", "");
        process.signal("HUP");
        process.await("configuration: " + url + " is drained", round);
        load.more(50);
        write(", drained: perhaps", "");
        process.signal("HUP");
        process.await("configuration not reloaded", round);
        process.await("stoa.yaml:5:\\d+: upstream.servers: drained: 'perhaps' must be true", round);
        write("", "");
        process.signal("HUP");
        process.await("upstream " + url + " UP", 1 + round);
        load.more(50);
        write(", weight: " + (1 + round) + ", reconnect: " + round, "");
        process.signal("HUP");
        process.await("configuration: " + url + " has weight " + (1 + round));
        process.await("configuration: " + url + " renews its connections", round);
        load.more(50);
      }
      assertThat(load.failures()).isEmpty();
    }
  }

  @Test
  void restartsAndInvalidValuesAreLogged() throws Exception {
    write("", "", window("50ms"));
    try (CommandProcess process = CommandProcess.start("run", "--config", file().toString())) {
      process.await("INFO .*: ready$");
      write(", tier: 2", "", "eventLoops: 7", "cache: {maxAge: 3s}", window("60ms"));
      process.signal("HUP");
      process.await("configuration: cache.maxAge is 3s");
      process.await("configuration: window w: every=60 ms");
      process.await("restart required for eventLoops, upstream.servers$");
      write(", drained: true", ", drained: true");
      process.signal("HUP");
      process.await("upstream.servers are all drained: at least one must be in use");
      Files.delete(file());
      process.signal("HUP");
      process.await("stoa.yaml: no such file");
      process.signal("TERM");
      assertThat(process.awaitExit()).isEqualTo(ExitCode.OK.code());
    }
  }

  @Test
  void aChangedPasswordHashIsLoggedWithoutItsValue() throws Exception {
    write("", "", password("old"));
    try (CommandProcess process = CommandProcess.start("run", "--config", file().toString());
        RawLdapClient client = clients(process).get()) {
      assertThat(client.code(bind("old"))).isZero();
      write("", "", password("new"));
      process.signal("HUP");
      process.await("configuration: admin.passwordHash changed$");
      process.await("reloaded: 1 change");
      assertThat(client.code(bind("old"))).isEqualTo(49);
      assertThat(client.code(bind("new"))).isZero();
      write("", "");
      process.signal("HUP");
      process.await("configuration: admin.passwordHash changed$", 2);
      assertThat(client.code(bind("new"))).isEqualTo(49);
      assertThat(process.output()).doesNotContain("PBKDF2");
    }
  }

  private static RawRequest bind(String password) {
    return Requests.bind("cn=admin,cn=configuration", password);
  }

  private static String password(String password) {
    String hash = PasswordHash.of(password.getBytes(UTF_8)).print();
    return "admin: {passwordHash: '" + hash + "'}";
  }

  private static String window(String every) {
    return "writes: {windows: [{name: w, every: " + every + "}]}";
  }

  @Test
  void sighupWithoutAFileIsLogged() {
    String url = "--upstream=ldap://127.0.0.1:" + first.port();
    try (CommandProcess process =
        CommandProcess.start("run", url, "--listen=127.0.0.1:0", "--management=none")) {
      process.await("INFO .*: ready$");
      process.signal("HUP");
      process.await("SIGHUP ignored: ");
    }
  }

  /** One client that asks the same again and again, and what went wrong with it. */
  private static final class ClientLoop implements AutoCloseable {
    private final AtomicInteger done = new AtomicInteger();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private volatile boolean ended;

    ClientLoop(Supplier<RawLdapClient> clients, List<RawRequest> requests) {
      thread = new Thread(() -> work(clients, requests), "client-loop");
      thread.start();
    }

    private void work(Supplier<RawLdapClient> clients, List<RawRequest> requests) {
      try (RawLdapClient client = clients.get()) {
        while (!ended) {
          for (RawRequest request : requests) {
            int code = client.code(request);
            if (code != 0) {
              failures.add("result code " + code);
            }
            done.incrementAndGet();
          }
        }
      } catch (RuntimeException | AssertionError e) {
        failures.add(e.toString());
      }
    }

    void more(int operations) {
      int before = done.get();
      Await.until(
          operations + " more operations",
          () -> done.get() - before >= operations || !failures.isEmpty());
      assertThat(failures).isEmpty();
    }

    List<String> failures() {
      return failures;
    }

    @Override
    public void close() throws InterruptedException {
      ended = true;
      thread.join();
    }
  }
}
