// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import io.stoa.testing.Await;
import io.stoa.testing.FreePort;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.Leftovers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** rsyslog reads each field of the messages (RFC 5424), by each transport. */
class RsyslogIT {
  @TempDir Path folder;

  private final int port = FreePort.next();
  private InMemoryDirectory directory;
  private Process rsyslog;

  @BeforeEach
  void start() throws Exception {
    directory = InMemoryDirectory.start(5);
    Path file =
        Files.writeString(
            folder.resolve("rsyslog.conf"),
            """
            global(workDirectory="%1$s")
            module(load="imudp")
            module(load="imtcp")
            module(load="imuxsock" SysSock.Use="off")
            input(type="imudp" address="127.0.0.1" port="%2$d")
            input(type="imtcp" address="127.0.0.1" port="%2$d")
            input(type="imuxsock" Socket="%1$s/log" UseSpecialParser="off" ParseHostname="on")
            template(name="fields" type="string" string="%3$s")
            action(type="omfile" file="%1$s/received" template="fields")
            """
                .formatted(
                    folder,
                    port,
                    "%syslogfacility-text% %syslogseverity-text% %protocol-version% %app-name%"
                        + " %procid% %msgid% [%hostname%] %msg%\\n"));
    rsyslog =
        Leftovers.start(
            new ProcessBuilder(
                    "/usr/sbin/rsyslogd",
                    "-n",
                    "-f",
                    file.toString(),
                    "-i",
                    folder.resolve("pid").toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("rsyslog.out").toFile()));
  }

  @AfterEach
  void stop() throws Exception {
    rsyslog.destroy();
    assertThat(rsyslog.waitFor(20, TimeUnit.SECONDS)).isTrue();
    directory.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "tcp", "local"})
  void eachFieldIsRead(String transport) throws Exception {
    Path socket = folder.resolve("log");
    Await.until(
        "rsyslog listens", Duration.ofMinutes(1), () -> Files.exists(socket) && listensByTcp());
    String target =
        transport.equals("local")
            ? "syslog+local:" + socket
            : "syslog+" + transport + "://127.0.0.1:" + port;
    try (AdministeredServer stoa =
            AdministeredServer.start(
                folder,
                "log: {access: {format: openldap, destination: '" + target + "'}}\n",
                directory.port());
        LDAPConnection client = TestServers.connect(stoa.server())) {
      client.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      String message =
          "(?m)^local4 info 1 stoa "
              + ProcessHandle.current().pid()
              + " access \\[\\S+\\] \\S+Z conn=\\d+ op=0 BIND dn=\""
              + InMemoryDirectory.person(1)
              + "\" method=128$";
      Path received = folder.resolve("received");
      Await.until(
          message,
          () ->
              Files.exists(received)
                  && Files.readString(received).matches("(?s).*" + message + ".*"));
    }
  }

  private boolean listensByTcp() {
    try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return probe.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }
}
