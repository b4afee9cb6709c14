// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.FreePort;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.Leftovers;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Repository;
import io.stoa.testing.Requests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The units of the package under a running systemd, by the commands of the guide. */
class SystemdIT {
  private static final long PACE_NANOS = 2_000_000;

  private final int port = FreePort.next();
  private final List<String> failures = new CopyOnWriteArrayList<>();
  private final AtomicInteger done = new AtomicInteger();
  private Path directory;
  private BootedSystem system;
  private volatile boolean ended;

  @BeforeEach
  void boot() throws IOException {
    directory = Leftovers.directory("stoa-systemd");
    Packages packages = Packages.assemble(directory);
    system = BootedSystem.boot();
    Files.write(system.path("/tmp/stoa.deb"), Files.readAllBytes(packages.deb()));
    system.run("dpkg", "--no-triggers", "--install", "/tmp/stoa.deb").ok();
  }

  @AfterEach
  void end() {
    system.close();
    Leftovers.delete(directory);
  }

  @Test
  void restartsAsTheGuideSaysRefuseNoClient() throws Exception {
    List<String> commands = commands();
    assertThat(commands).hasSize(5);
    try (InMemoryDirectory upstream = InMemoryDirectory.start(10)) {
      configure(upstream);
      system.run("systemctl", "start", "stoa.service").ok();
      system.run("systemctl", "reload", "stoa.service").ok();
      guide(commands.get(0));
      Thread client = new Thread(this::load, "systemd-client");
      client.start();
      try {
        for (String block : commands.subList(1, commands.size())) {
          more();
          guide(block);
        }
        more();
      } finally {
        ended = true;
        client.join();
      }
    }
    assertThat(failures).isEmpty();
    assertThat(active("stoa@b.service")).isEqualTo("active\n");
    assertThat(active("stoa@a.service")).isEqualTo("inactive\n");
    assertThat(active("stoa.service")).isEqualTo("inactive\n");
    assertThat(system.run("stoactl", "status").ok()).contains("ready");
    assertThat(system.run("systemctl", "show", "-P", "NRestarts", "stoa@b.service").ok())
        .isEqualTo("0\n");
    system.run("dpkg", "--no-triggers", "--remove", "stoa").ok();
    assertThat(active("stoa.socket")).isEqualTo("inactive\n");
    assertThat(active("stoa@b.service")).isEqualTo("inactive\n");
  }

  private String active(String unit) {
    return system.run("systemctl", "is-active", unit).output();
  }

  private static List<String> commands() throws IOException {
    String guide = Files.readString(Repository.root().resolve("docs/guides/restarts.md"));
    return Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL)
        .matcher(guide)
        .results()
        .map((MatchResult block) -> block.group(1))
        .toList();
  }

  private void guide(String commands) {
    system.run("sh", "-ec", commands).ok();
  }

  private void configure(InMemoryDirectory upstream) throws IOException {
    int management = FreePort.next();
    String format =
        """
        listen:
          - 127.0.0.1:%d
          - ldapi://%%2Frun%%2Fstoa%%2Fldapi
        upstream:
          servers:
            - ldap://127.0.0.1:%d
        management:
          listen: 127.0.0.1:%d
        admin:
          changes: /var/lib/stoa/changes
        """;
    String yaml = format.formatted(port, upstream.port(), management);
    Files.writeString(system.path("/etc/stoa/stoa.yaml"), yaml);
    String memory = "STOA_MEMORY=512\n";
    Files.writeString(system.path("/etc/default/stoa"), memory);
    String sockets =
        """
        [Socket]
        ListenStream=
        ListenStream=127.0.0.1:%d
        ListenStream=/run/stoa/ldapi
        ListenStream=127.0.0.1:%d
        """;
    Path settings = system.path("/etc/systemd/system/stoa.socket.d");
    Files.createDirectories(settings);
    Files.writeString(settings.resolve("override.conf"), sockets.formatted(port, management));
    system.run("systemctl", "daemon-reload").ok();
  }

  private void more() {
    int before = done.get();
    Await.until("the client does more", () -> done.get() >= before + 20 || !failures.isEmpty());
    assertThat(failures).isEmpty();
  }

  /** Connects anew only after a Notice of Disconnection; everything else must succeed. */
  private void load() {
    try {
      while (!ended) {
        try (RawLdapClient client =
            RawLdapClient.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
          while (!ended && succeeds(client)) {
            done.incrementAndGet();
            LockSupport.parkNanos(PACE_NANOS);
          }
        }
      }
    } catch (RuntimeException | AssertionError e) {
      failures.add(e.toString());
    }
  }

  /** Binds; false if the client got the notice instead of a response. */
  private static boolean succeeds(RawLdapClient client) {
    try {
      client.send(Requests.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD));
    } catch (UncheckedIOException closed) {
      // The notice is read below.
    }
    Optional<RawMessage> answer = client.next();
    RawMessage message =
        answer.orElseThrow(() -> new AssertionError("connection closed without a notice"));
    if (message.messageId() != 0) {
      assertThat(message.resultCode()).isZero();
    }
    return message.messageId() != 0;
  }
}
