// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.ldap.protocol.Oids;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Invariants;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RandomScenario;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.UpstreamLink;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Whole lives of client connections, whatever the client sends and the directory answers: no crash,
 * no leak, no hang, and nothing left. Seeds are in src/test/resources; {@code JAZZER_FUZZ=1} looks
 * for more.
 */
class ConnectionLifeFuzzTest {
  private static final int LIVES_BETWEEN_CHECKS = 500;
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String BASE = "dc=example,dc=com";

  /** A sync search that refreshes and persists. */
  private static final ASN1OctetString SYNC = new ASN1OctetString(new byte[] {0x30, 3, 10, 1, 3});

  private static final List<RawRequest> REQUESTS =
      List.of(
          Requests.bind("uid=a," + BASE, "right"),
          Requests.anonymousBind(),
          Requests.bind("uid=b," + BASE, ""),
          Requests.saslBind("PLAIN"),
          Requests.saslBind("GSSAPI"),
          Requests.saslBind("SCRAM-SHA-256"),
          Requests.saslBind("EXTERNAL"),
          Requests.unbind(),
          Requests.search(BASE).filter("(uid=a)").request(),
          Requests.search(BASE).filter("(&(uid=b)(!(cn=x)))").attributes("cn").request(),
          Requests.search("").baseScope().request(),
          Requests.search("cn=Subschema").baseScope().request(),
          Requests.search(BASE).sizeLimit(1).request(),
          Requests.search(BASE).request().with(new SimplePagedResultsControl(2)),
          Requests.search(BASE)
              .request()
              .with(new SimplePagedResultsControl(2, new ASN1OctetString("cookie"))),
          Requests.search(BASE).request().with(new Control(Oids.MANAGE_DSA_IT, false)),
          Requests.search(BASE).request().with(new Control(Oids.SYNC_REQUEST, true, SYNC)),
          Requests.search(BASE).request().with(new Control(Oids.PERSISTENT_SEARCH, true)),
          Requests.search(BASE).request().with(new Control("1.2.3", true)),
          Requests.compare("uid=a," + BASE, "uid", "a"),
          Requests.add("uid=c," + BASE, "uid: c"),
          Requests.replace("uid=a," + BASE, "cn", "x"),
          Requests.rename("uid=a," + BASE, "uid=d", true),
          Requests.delete("uid=a," + BASE),
          Requests.abandon(1),
          Requests.abandon(5),
          Requests.extended(Oids.CANCEL, new byte[] {0x30, 3, 2, 1, 1}),
          Requests.extended(Oids.WHO_AM_I),
          Requests.extended(Oids.PASSWORD_MODIFY),
          Requests.extended(Oids.START_TLS),
          Requests.extended(Oids.TURN),
          Requests.extended("1.3.6.1.1.21.1"));

  private static final List<Answer> ANSWERS =
      List.of(
          Answers.silence(),
          Answers.success(),
          Answers.result(14),
          Answers.result(49),
          Answers.result(51),
          Answers.result(80),
          Answers.entries(Answers.person("a", "x")),
          Answers.entries(Answers.person("a", "x"), Answers.person("b", "y")),
          Answers.onlyEntries(Answers.person("a", "x")),
          Answers.tornEntries(Answers.person("a", "x")),
          Answers.halfEntryThenClose(Answers.person("a", "x")),
          Answers.close(),
          Answers.noticeOfDisconnection(52),
          Answers.unknownId(),
          Answers.malformedEntry("uid=a," + BASE),
          (request, link) -> link.send(request.messageId(), Responses.reference("ldap://x/")),
          (request, link) -> link.send(request.messageId(), Responses.intermediate("1.2.3")),
          (request, link) -> link.send(request.messageId(), Responses.result(Received.BIND, 0)),
          (request, link) -> link.sendOctets(new byte[] {0x30, (byte) 0x80, 0, 0}),
          (request, link) -> link.sendOctets(new byte[] {0, 0, 0, 4, 1, 2, 3, 4}));

  @RegisterExtension static final ExpectedLog LOG = new ExpectedLog();

  private static @Nullable ScriptedUpstream directory;
  private static @Nullable RunningProxy proxy;
  private static volatile @Nullable RandomScenario present;
  private static int lives;

  @FuzzTest(maxDuration = "60m")
  void nothingIsLeftOfALife(byte[] script) {
    BugDetectors.allowNetworkConnections();
    RunningProxy running = running();
    try (RandomScenario life = new RandomScenario(running.address(), REQUESTS, ANSWERS, script)) {
      present = life;
      life.live();
    }
    Await.until("the client is gone", PATIENCE, () -> running.status().connections() == 0);
    if (++lives % LIVES_BETWEEN_CHECKS == 0) {
      Invariants.assertNothingLeft(running::status);
      assertThat(LOG.wrong()).isEmpty();
      assertThat(upstream().malformed()).isEmpty();
    }
  }

  private static synchronized RunningProxy running() {
    RunningProxy running = proxy;
    if (running == null) {
      ScriptedUpstream upstream = ScriptedUpstream.forgetful();
      upstream.when(request -> present != null, (request, link) -> answer(request, link));
      running = ProxySetup.before(upstream.port()).operationTimeout(Duration.ofMillis(300)).start();
      directory = upstream;
      proxy = running;
    }
    return running;
  }

  private static synchronized ScriptedUpstream upstream() {
    return Objects.requireNonNull(directory, "running");
  }

  private static void answer(Received request, UpstreamLink link) {
    RandomScenario life = present;
    if (life != null) {
      life.answer(request, link);
    }
  }

  @AfterAll
  static void assertNothingLeftOfAll() {
    present = null;
    try (ScriptedUpstream last = directory;
        RunningProxy ended = proxy) {
      directory = null;
      proxy = null;
    }
  }
}
