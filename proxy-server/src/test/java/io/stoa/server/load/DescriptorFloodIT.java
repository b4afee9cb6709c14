// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.StoaProcess;
import io.stoa.testing.Await;
import io.stoa.testing.LdapCommand;
import io.stoa.testing.LdapCommand.Output;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * With 260 open files, silent clients that take every connection keep neither ordinary clients out,
 * nor connections to the directory, nor the administrator at the local socket.
 */
@Tag("soak")
@Tag("alone")
class DescriptorFloodIT {
  private static final int OPEN_FILES = 260;
  private static final int SILENT = 400;
  private static final String OTHER_NETWORK = "127.0.7.1";
  private static final int BYSTANDERS = 50;
  private static final int PEOPLE = 500;
  private static final int LEAST = Soak.scale(20, 400);
  private static final int BUSY = 51;
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  @Test
  void otherClientsAreServedBesideSilentOnes() throws Exception {
    try (Slapd slapd = LargeDirectory.start(PEOPLE);
        StoaProcess stoa = StoaProcess.withOpenFiles(OPEN_FILES, slapd)) {
      assertThat(stoa.log())
          .contains("limits.connections = 20000", "260 open files: lowered to 132");
      OrdinaryClients others = new OrdinaryClients(stoa.address(), PEOPLE);
      others.run(BYSTANDERS, LEAST, () -> false); // warm up
      final long before = others.run(BYSTANDERS, LEAST, () -> false);
      AtomicBoolean under = new AtomicBoolean(true);
      long[] beside = new long[2];
      try (StalledClients attack =
          new StalledClients(OTHER_NETWORK, stoa.address(), SILENT, new byte[0], 0)) {
        Parallel.run(
            2,
            PATIENCE,
            number -> {
              if (number == 0) {
                attack.run(under::get);
              } else {
                restart(stoa, slapd, others, beside, under);
              }
            });
      }
      Soak.record(
          "%d silent clients beside %d open files, %d gave way; p99 of %d others:"
                  .formatted(SILENT, OPEN_FILES, stoa.monitor("stoaConnectionsEvicted"), BYSTANDERS)
              + " %d µs before, %d µs beside them, %d µs after a restart of slapd"
                  .formatted(before, beside[0], beside[1]));
      assertThat(stoa.log()).contains("idle connections without a bind were closed");
      assertTheAdministratorConnectsAboveTheLimit(stoa);
    }
  }

  private static void restart(
      StoaProcess stoa, Slapd slapd, OrdinaryClients others, long[] beside, AtomicBoolean under) {
    try {
      Await.until("all is taken", () -> stoa.monitor("stoaConnectionsEvicted") > SILENT);
      beside[0] = others.run(BYSTANDERS, LEAST, () -> false);
      slapd.stop();
      Await.until("it is missed", () -> !stoa.isReady());
      slapd.restart();
      Await.until("it is back", stoa::isReady);
      beside[1] = others.run(BYSTANDERS, LEAST, () -> false);
    } finally {
      under.set(false);
    }
  }

  /** Clients that have bound do not give way. */
  private static void assertTheAdministratorConnectsAboveTheLimit(StoaProcess stoa) {
    List<RawLdapClient> clients = new ArrayList<>();
    try {
      boolean more = true;
      while (more) {
        RawLdapClient client = stoa.client();
        clients.add(client);
        more = isBound(client);
      }
      assertThat(clients).hasSizeGreaterThan(100);
      String socket = stoa.directory().resolve("ldapi").toString().replace("/", "%2F");
      Output output =
          LdapCommand.run(
              Map.of(),
              "ldapsearch",
              "-LLL",
              "-x",
              "-H",
              "ldapi://" + socket,
              "-s",
              "base",
              "-b",
              "cn=monitor",
              "currentconnections");
      assertThat(output.text()).contains("currentconnections: ");
    } finally {
      clients.forEach(RawLdapClient::close);
    }
  }

  private static boolean isBound(RawLdapClient client) {
    try {
      client.send(Requests.bind(People.dn(1), People.PASSWORD));
      return client.next().filter(answer -> answer.resultCode() != BUSY).isPresent();
    } catch (UncheckedIOException refused) {
      return false;
    }
  }
}
