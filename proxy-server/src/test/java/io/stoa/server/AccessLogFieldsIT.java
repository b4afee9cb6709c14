// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONException;
import com.unboundid.util.json.JSONObject;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.ScriptedUpstream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Lines of the access log name the course of an operation, and filters select lines. */
class AccessLogFieldsIT {
  private static final RawRequest SLOW = search("ou=slow").request();
  private static final RawRequest FAST = search("ou=fast").request();

  @TempDir Path folder;
  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream first = ScriptedUpstream.start();
  @RegisterExtension final ScriptedUpstream second = ScriptedUpstream.start();

  private Path file() {
    return folder.resolve("access.log");
  }

  /** Returns the section of the log; {@code filters} are more keys of it, each with a comma. */
  private String logged(String filters) {
    return "log: {access: {" + filters + " format: json, destination: '" + file() + "'}}\n";
  }

  private static boolean isSlow(Received request) {
    return request.isSearchFor("ou=slow");
  }

  private List<JSONObject> objects() throws IOException, JSONException {
    List<JSONObject> objects = new ArrayList<>();
    String text = Files.readString(file());
    String whole = text.substring(0, text.lastIndexOf('\n') + 1); // a write may be unfinished
    for (String line : whole.lines().toList()) {
      objects.add(new JSONObject(line));
    }
    return objects;
  }

  /** Returns the lines of searches with this base. */
  private List<JSONObject> searches(String base) throws IOException, JSONException {
    return objects().stream().filter(one -> base.equals(one.getFieldAsString("base"))).toList();
  }

  /** Waits for a line of a search with this base, in which a member has this value. */
  private JSONObject awaitLine(String base, String member, String value) throws Exception {
    Await.until(member + "=" + value, () -> find(base, member, value).findAny().isPresent());
    return find(base, member, value).findAny().orElseThrow();
  }

  private Stream<JSONObject> find(String base, String member, String value) throws Exception {
    return searches(base).stream()
        .filter(one -> one.getField(member) != null)
        .filter(one -> value.equals(one.getField(member).toString().replace("\"", "")));
  }

  @Test
  void aSearchThatWaitsForAnEqualOneIsJoined() throws Exception {
    Held held = first.hold(AccessLogFieldsIT::isSlow);
    try (AdministeredServer stoa = AdministeredServer.start(folder, logged(""), first.port());
        RawLdapClient one = stoa.client();
        RawLdapClient other = stoa.client()) {
      int id = one.send(SLOW);
      held.awaitArrival();
      int joined = other.send(SLOW);
      Await.until("the second search waits", () -> stoa.cache().joined() > 0);
      held.answer(Answers.success());
      one.await(id);
      other.await(joined);
      assertThat(awaitLine("ou=slow", "cache", "miss").getField("upstreamMsgid")).isNotNull();
      assertThat(awaitLine("ou=slow", "cache", "joined").getField("upstreamMsgid")).isNull();
    }
  }

  @Test
  void aStaleAnswerIsNamed() throws Exception {
    String lines = "cache: {maxAge: 100ms, serveStale: 1h}\n" + logged("");
    try (AdministeredServer stoa = AdministeredServer.start(folder, lines, first.port());
        RawLdapClient client = stoa.client()) {
      client.call(FAST);
      first.goDown();
      Await.until(
          "a stale answer",
          () -> {
            client.call(FAST);
            return find("ou=fast", "cache", "stale").findAny().isPresent();
          });
      assertThat(awaitLine("ou=fast", "cache", "stale").getField("upstreamMsgid")).isNull();
    }
  }

  @Test
  void aRetryNamesTheServerThatAnswered() throws Exception {
    Held atFirst = first.hold(AccessLogFieldsIT::isSlow);
    Held atSecond = second.hold(AccessLogFieldsIT::isSlow);
    try (AdministeredServer stoa =
            AdministeredServer.start(folder, logged(""), first.port(), second.port());
        RawLdapClient client = stoa.client()) {
      int id = client.send(SLOW);
      Await.until("a server is asked", () -> atFirst.hasArrived() || atSecond.hasArrived());
      boolean failed = atFirst.hasArrived();
      (failed ? atFirst : atSecond).answer(Answers.close());
      (failed ? atSecond : atFirst).awaitArrival();
      (failed ? atSecond : atFirst).answer(Answers.success());
      client.await(id);
      JSONObject line = awaitLine("ou=slow", "retries", "1");
      int answering = failed ? second.port() : first.port();
      assertThat(line.getFieldAsString("upstream")).isEqualTo("ldap://127.0.0.1:" + answering);
      assertThat(line.getFieldAsInteger("result")).isZero();
    }
  }

  @Test
  void aHedgeIsNamed() throws Exception {
    String lines = "  hedge: true\ncache: {enabled: false}\n" + logged("");
    try (AdministeredServer stoa =
            AdministeredServer.start(folder, lines, first.port(), second.port());
        RawLdapClient client = stoa.client()) {
      Held atFirst = first.hold(AccessLogFieldsIT::isSlow);
      Held atSecond = second.hold(AccessLogFieldsIT::isSlow);
      for (int i = 0; i < 400; i++) {
        client.call(FAST);
      }
      int id = client.send(SLOW);
      atFirst.awaitArrival();
      atSecond.awaitArrival();
      atSecond.answer(Answers.success());
      client.await(id);
      awaitLine("ou=slow", "hedged", "true");
      assertThat(searches("ou=fast")).isNotEmpty();
    }
  }

  /** The slow search takes 3 s, so that a pause of the machine does not make others as slow. */
  @Test
  void onlySlowOperationsAreLogged() throws Exception {
    Duration slow = Duration.ofSeconds(3);
    first.when(AccessLogFieldsIT::isSlow, Answers.slowly(slow, Answers.success()));
    try (AdministeredServer stoa =
            AdministeredServer.start(folder, logged("slowerThan: 2900ms,"), first.port());
        RawLdapClient client = stoa.client()) {
      client.call(FAST);
      client.call(SLOW);
      JSONObject line = awaitLine("ou=slow", "cache", "miss");
      assertThat(line.getFieldAsLong("elapsed")).isGreaterThan(2_900_000);
      assertThat(searches("ou=fast")).isEmpty();
    }
  }

  @Test
  void oneOfManyOperationsIsLogged() throws Exception {
    try (AdministeredServer stoa =
            AdministeredServer.start(folder, logged("sampleEvery: 10,"), first.port());
        RawLdapClient client = stoa.client()) {
      for (int i = 0; i < 1_000; i++) {
        client.call(FAST);
      }
      stoa.set("stoa-log-access-sampleEvery", "1");
      client.call(SLOW);
      awaitLine("ou=slow", "cache", "miss");
      // Six standard deviations (9.5) around the mean of 100.
      assertThat(searches("ou=fast")).hasSizeBetween(43, 157);
    }
  }

  @Test
  void aListenerAndItsTlsVersionAreNamedAndSelected() throws Exception {
    String secure = "ldaps://127.0.0.1:0";
    try (Certificates certificates = Certificates.create()) {
      Certificates.Pair pair = certificates.server();
      String lines =
          "tls: {certificate: '%s', key: '%s'}\n".formatted(pair.certificate(), pair.key())
              + logged("listeners: ['" + secure + "'],");
      SSLContext context = certificates.clientContext();
      try (AdministeredServer stoa =
              AdministeredServer.start(
                  folder, "'127.0.0.1:0', '" + secure + "'", lines, first.port());
          RawLdapClient plain = stoa.client();
          RawLdapClient encrypted =
              RawLdapClient.connect(stoa.server().addresses().get(1), context)) {
        plain.call(FAST);
        encrypted.call(SLOW);
        JSONObject line = awaitLine("ou=slow", "tls", "TLSv1.3");
        assertThat(line.getFieldAsString("listener")).isEqualTo(secure);
        assertThat(searches("ou=fast")).isEmpty();
      }
    }
  }
}
