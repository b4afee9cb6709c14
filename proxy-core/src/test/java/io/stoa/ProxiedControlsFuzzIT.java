// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RandomControls;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.ServiceWatch;
import io.stoa.testing.Soak;
import io.stoa.testing.Tlv;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever controls clients send, in whatever encoding: nothing of theirs reaches a connection of
 * the service account without the critical control that names them, and no other that names
 * anybody.
 */
class ProxiedControlsFuzzIT {
  private static final int REQUESTS = Soak.scale(4000, 400_000);
  private static final int CLIENTS = 5;
  private static final Duration SOON = Duration.ofSeconds(20);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyRequestNamesItsClient(boolean keepPasswords) {
    Random random = new Random(Soak.seed());
    try (ScriptedUpstream upstream = upstream()) {
      ProxySetup setup =
          ProxySetup.before(upstream.port())
              .upstream("identity", ServiceWatch.identity(directory))
              .upstream("keepPasswords", keepPasswords);
      try (RunningProxy proxy = setup.start()) {
        for (int sent = 0; sent < REQUESTS; ) {
          sent += life(proxy, random, REQUESTS - sent);
        }
      }
      List<Received> seen = ServiceWatch.received(upstream);
      assertThat(seen).hasSizeGreaterThan(REQUESTS / 10);
      assertThat(ServiceWatch.violations(upstream, ProxiedControlsFuzzIT::client)).isEmpty();
    }
  }

  /** It answers without reading what the decoder of the tests might not read. */
  private static ScriptedUpstream upstream() {
    return ServiceWatch.upstream()
        .when(
            request -> request.message().mentions(People.PEOPLE) && !request.is(Received.BIND),
            Answers.success())
        .when(request -> request.is(Received.EXTENDED), Answers.success());
  }

  /** One client, until Stoa ends its connection; says how many requests it sent. */
  private static int life(RunningProxy proxy, Random random, int most) {
    String dn = People.dn(random.nextInt(CLIENTS));
    try (RawLdapClient client = proxy.client().patience(SOON).bind(dn, "secret")) {
      for (int sent = 1; sent <= most; sent++) {
        int id = sent + 1;
        client.sendOctets(message(id, request(dn, random), RandomControls.next(random)));
        if (!answered(client, id)) {
          return sent;
        }
      }
    }
    return most;
  }

  /** Whether the request was answered, and the connection is still there. */
  private static boolean answered(RawLdapClient client, int id) {
    return client.next().filter(answer -> answer.messageId() == id).isPresent();
  }

  private static byte[] message(int id, RawRequest request, byte[] controls) {
    return Tlv.of(0x30, Tlv.integer(0x02, id), request.op(), controls);
  }

  /** Each request says by its names who sent it. */
  private static RawRequest request(String dn, Random random) {
    return switch (random.nextInt(7)) {
      case 0 -> Requests.compare(dn, "cn", "x");
      case 1 -> Requests.delete(dn);
      case 2 -> Requests.replace(dn, "sn", "x");
      case 3 -> Requests.rename(dn, "cn=x", true);
      case 4 -> Requests.extended("1.3.6.1.4.1.4203.1.11.3");
      default -> Requests.search(dn).baseScope().request();
    };
  }

  private static String client(Received request) {
    for (int number = 0; number < CLIENTS; number++) {
      String op = new String(request.message().op(), StandardCharsets.ISO_8859_1);
      if (op.contains(People.dn(number))) {
        return People.dn(number);
      }
    }
    throw new AssertionError("nobody can have sent " + request);
  }
}
