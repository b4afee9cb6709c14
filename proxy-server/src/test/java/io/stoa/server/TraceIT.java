// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.InMemoryDirectory.PEOPLE;
import static io.stoa.testing.InMemoryDirectory.SUFFIX;
import static io.stoa.testing.InMemoryDirectory.person;
import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.util.json.JSONObject;
import io.stoa.cli.client.StoactlExitCode;
import io.stoa.server.StoaUnderLoad.Outcome;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.Held;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.ScriptedUpstream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The administrator sees each step of selected operations, over LDAP and by {@code stoactl}. */
class TraceIT {
  private static final String BASE = "cn=Trace,cn=Monitor";
  private static final String ALL = "(objectClass=*)";
  private static final String SENT =
      "sent to ldap://127\\.0\\.0\\.1:\\d+, connection \\d+, port \\d+, msgid \\d+";

  /** Time limit in seconds of a trace that a test ends itself. */
  private static final int LONG = 300;

  private static final RawRequest FIND =
      search(SUFFIX).filter("(&(objectClass=person)(uid=user.2))").attributes("uid").request();

  @TempDir static Path folder;

  private static InMemoryDirectory directory;
  private static AdministeredServer stoa;

  /** Traces of the administrator's first connection, as binds of further ones take long. */
  private final List<Integer> running = new ArrayList<>();

  private RawLdapClient client;

  @BeforeAll
  static void start() throws Exception {
    directory = InMemoryDirectory.start(10);
    stoa = AdministeredServer.start(folder, "cache: {maxAge: 1h}", directory.port());
  }

  @AfterAll
  static void stop() {
    stoa.close();
    directory.close();
  }

  @BeforeEach
  void connect() {
    stoa.act(AdministeredServer.CACHES, "flush");
    client = stoa.client();
  }

  /** An abandoned trace has ended before the next request of the connection is read. */
  @AfterEach
  void endTraces() {
    client.close();
    running.forEach(messageId -> stoa.administrator().send(Requests.abandon(messageId)));
  }

  /** A running trace. */
  private record Running(RawLdapClient administrator, int messageId) {
    /** The next traced operation. */
    SearchResultEntryProtocolOp next() {
      return entry(administrator.await(messageId, 1).get(0));
    }

    /** Ends it from the administrator's side. */
    void abandon() {
      administrator.send(Requests.abandon(messageId));
    }
  }

  private static SearchResultEntryProtocolOp entry(RawMessage message) {
    assertThat(message.opTag()).isEqualTo(RawMessage.SEARCH_ENTRY);
    return message.decoded().getSearchResultEntryProtocolOp();
  }

  private static RawRequest trace(String filter, int seconds) {
    return search(BASE).filter(filter).timeLimit(seconds).request();
  }

  private Running begin(String filter, int seconds) {
    Running trace = begin(stoa.administrator(), filter, seconds);
    running.add(trace.messageId());
    return trace;
  }

  /** Begins a trace. A later request on the same connection proves that it runs. */
  private static Running begin(RawLdapClient administrator, String filter, int seconds) {
    int messageId = administrator.send(trace(filter, seconds));
    assertThat(administrator.code(search("cn=monitor").baseScope().request())).isZero();
    assertThat(administrator.take(messageId)).noneMatch(RawMessage::isFinal);
    return new Running(administrator, messageId);
  }

  private static String equality(String attribute, String value) {
    return Filter.createEqualityFilter(attribute, value).toString();
  }

  private static List<String> values(SearchResultEntryProtocolOp entry, String name) {
    return entry.getAttributes().stream()
        .filter(attribute -> attribute.getName().equals(name))
        .findFirst()
        .map(Attribute::getValues)
        .map(Arrays::asList)
        .orElse(List.of());
  }

  /** The steps without their places and times, which must not decrease. */
  private static List<String> steps(SearchResultEntryProtocolOp entry) {
    List<String> texts = new ArrayList<>();
    long before = 0;
    for (String step : values(entry, "stoaTraceStep")) {
      assertThat(step).matches("\\{" + texts.size() + "}\\d+ .*");
      long micros = Long.parseLong(step.replaceFirst("\\{\\d+}(\\d+) .*", "$1"));
      assertThat(micros).isGreaterThanOrEqualTo(before);
      before = micros;
      texts.add(step.replaceFirst("\\S+ ", ""));
    }
    return texts;
  }

  @Test
  void byIdentityAMissAndAHitHaveTheirSteps() {
    Running trace = begin(equality("stoaTraceIdentity", person(1).toUpperCase(Locale.ROOT)), LONG);
    try (RawLdapClient other = stoa.client().bind(person(2), InMemoryDirectory.PASSWORD)) {
      assertThat(other.code(FIND)).isZero();
    }
    client.bind(person(1), InMemoryDirectory.PASSWORD);
    SearchResultEntryProtocolOp bind = trace.next();
    assertThat(values(bind, "stoaTraceRequest").get(0))
        .isEqualTo("BIND dn=\"" + person(1) + "\" method=128");
    assertThat(bind.toString()).doesNotContain(InMemoryDirectory.PASSWORD);
    assertThat(client.code(FIND)).isZero();
    SearchResultEntryProtocolOp miss = trace.next();
    assertThat(values(miss, "stoaTraceCache")).containsExactly("miss");
    assertThat(values(miss, "stoaTraceIdentity")).containsExactly(person(1));
    assertThat(values(miss, "stoaTraceRequest").get(0))
        .startsWith("SRCH base=\"" + SUFFIX + "\" scope=2")
        .endsWith("filter=\"(&(objectClass=person)(uid=user.2))\" attr=uid");
    assertThat(steps(miss)).startsWith("received").contains("cache miss", "first answer");
    assertThat(steps(miss)).filteredOn(step -> step.matches(SENT)).hasSize(1);
    assertThat(steps(miss).get(steps(miss).size() - 1))
        .matches("result success \\(0\\), 1 entry, \\d+ octets");
    assertThat(client.code(FIND)).isZero();
    SearchResultEntryProtocolOp hit = trace.next();
    assertThat(values(hit, "stoaTraceOperation")).containsExactly("2");
    assertThat(steps(hit)).hasSize(3).startsWith("received", "cache hit");
    assertThat(Long.parseLong(values(hit, "stoaTraceMicros").get(0))).isNotNegative();
  }

  @Test
  void byIdentityAFailedLoginIsShownWithoutItsPassword() {
    Running trace = begin(equality("stoaTraceIdentity", person(3)), LONG);
    assertThat(client.code(Requests.bind(person(3), "wr0ng-s3cret"))).isEqualTo(49);
    SearchResultEntryProtocolOp bind = trace.next();
    assertThat(values(bind, "stoaTraceResult")).containsExactly("49");
    assertThat(steps(bind)).anyMatch(step -> step.matches(SENT));
    assertThat(steps(bind).get(steps(bind).size() - 1))
        .startsWith("result invalidCredentials (49)");
    assertThat(bind.toString()).doesNotContain("wr0ng-s3cret");
  }

  @Test
  void byClientOneConnectionIsShown() {
    Running all = begin(equality("stoaTraceClient", "127.0.0.0/8"), LONG);
    assertThat(client.code(FIND)).isZero();
    SearchResultEntryProtocolOp first = all.next();
    while (values(first, "stoaTraceRequest").get(0).contains("cn=monitor")) {
      first = all.next(); // the administrator itself
    }
    String number = values(first, "stoaTraceClient").get(0);
    assertThat(values(first, "stoaTraceFrom")).containsExactly("127.0.0.1:" + client.port());
    Running one = begin(equality("stoaTraceClient", number), LONG);
    try (RawLdapClient other = stoa.client()) {
      assertThat(other.code(FIND)).isZero();
    }
    assertThat(client.code(Requests.compare(person(1), "uid", "user.1"))).isEqualTo(6);
    SearchResultEntryProtocolOp next = one.next();
    assertThat(values(next, "stoaTraceClient")).containsExactly(number);
    assertThat(values(next, "stoaTraceRequest").get(0)).startsWith("CMP dn=\"" + person(1));
  }

  @Test
  void byFilterSearchesWithThatPartAreShown() {
    Running trace = begin(equality("stoaTraceFilter", "(UID=USER.2)"), LONG);
    assertThat(client.code(search(PEOPLE).filter("(uid=user.21)").request())).isZero();
    assertThat(client.code(search(PEOPLE).filter("(cn=user.2)").request())).isZero();
    assertThat(client.code(FIND)).isZero();
    assertThat(values(trace.next(), "stoaTraceRequest").get(0)).contains("(objectClass=person)");
    assertThat(client.code(search(PEOPLE).filter("(uid=user.2)").request())).isZero();
    assertThat(values(trace.next(), "stoaTraceRequest").get(0)).contains("filter=\"(uid=user.2)\"");
  }

  @Test
  void secretValuesAreNeitherShownNorCompared() {
    Running trace = begin(equality("stoaTraceFilter", "(userPassword=guess)"), LONG);
    client.call(search(PEOPLE).filter("(userPassword=s3cret)").request());
    SearchResultEntryProtocolOp shown = trace.next();
    assertThat(values(shown, "stoaTraceRequest").get(0)).contains("(userPassword=?)");
    assertThat(shown.toString()).doesNotContain("s3cret");
  }

  @Test
  void aBypassNamesItsReason() {
    Running trace =
        begin("(&(objectClass=*)" + equality("stoaTraceClient", "127.0.0.1") + ")", LONG);
    trace.next(); // the administrator's own request
    client.call(search(PEOPLE).filter("(lastLogon=1)").request());
    SearchResultEntryProtocolOp bypass = trace.next();
    assertThat(values(bypass, "stoaTraceCache")).containsExactly("bypass");
    assertThat(steps(bypass)).anyMatch(step -> step.equals("cache bypass: volatile"));
  }

  @Test
  void aTraceEndsAtItsTimeWithASummary() {
    long start = System.nanoTime();
    Running trace = begin(equality("stoaTraceIdentity", person(1)), 1);
    client.bind(person(1), InMemoryDirectory.PASSWORD);
    List<RawMessage> answer = trace.administrator().await(trace.messageId());
    assertThat(System.nanoTime() - start).isGreaterThan(Duration.ofMillis(990).toNanos());
    assertThat(RawLdapClient.last(answer).resultCode()).isZero();
    SearchResultEntryProtocolOp summary = entry(answer.get(answer.size() - 2));
    assertThat(summary.getDN()).isEqualTo("cn=Summary," + BASE);
    assertThat(values(summary, "stoaTraceShown"))
        .containsExactly(String.valueOf(answer.size() - 2));
    assertThat(values(summary, "stoaTraceDropped")).containsExactly("0");
  }

  @Test
  void aTraceEndsAtItsSizeLimit() {
    RawLdapClient administrator = stoa.administrator();
    int id = administrator.send(search(BASE).timeLimit(LONG).sizeLimit(2).request());
    running.add(id);
    for (int i = 0; i < 3; i++) {
      assertThat(administrator.code(search("cn=monitor").baseScope().request())).isZero();
    }
    List<RawMessage> answer = administrator.await(id);
    assertThat(RawLdapClient.last(answer).resultCode()).isEqualTo(4);
    assertThat(answer).hasSize(4);
  }

  @Test
  void aFifthTraceIsRefusedUntilAnotherHasEnded() {
    Running closed = begin(stoa.bound(), ALL, LONG);
    Running abandoned = begin(ALL, LONG);
    begin(ALL, LONG);
    begin(ALL, LONG);
    RawMessage refusal = RawLdapClient.last(stoa.administrator().call(trace(ALL, LONG)));
    assertThat(refusal.resultCode()).isEqualTo(11);
    assertThat(refusal.mentions("4 traces run already, which is the maximum")).isTrue();
    closed.administrator().close();
    awaitRoom();
    abandoned.abandon();
    awaitRoom();
  }

  /** Waits until a trace can begin, which then takes the place of the one that has ended. */
  private void awaitRoom() {
    RawLdapClient administrator = stoa.administrator();
    Await.until(
        "a trace can begin",
        () -> {
          int id = administrator.send(trace(ALL, LONG));
          running.add(id);
          assertThat(administrator.code(search("cn=monitor").baseScope().request())).isZero();
          return administrator.take(id).stream().noneMatch(RawMessage::isFinal);
        });
  }

  @Test
  void whatIsNoSelectionIsRefused() {
    Map<String, String> refused =
        Map.of(
            "(stoaTraceClient=not an address)", "the client must be a number",
            "(stoaTraceIdentity=nobody)", "the identity must be a DN",
            "(sn=*)", "conjunction of equalities",
            "(!(stoaTraceClient=1))", "conjunction of equalities",
            "(cn=x)", "conjunction of equalities");
    refused.forEach(
        (filter, reason) -> {
          RawMessage refusal = RawLdapClient.last(stoa.administrator().call(trace(filter, LONG)));
          assertThat(refusal.resultCode()).as(filter).isEqualTo(53);
          assertThat(refusal.mentions(reason)).as(filter).isTrue();
        });
    RawMessage broken =
        RawLdapClient.last(
            stoa.administrator().call(trace(equality("stoaTraceFilter", "(uid="), LONG)));
    assertThat(broken.mentions("not valid (RFC 4515)")).isTrue();
    assertThat(stoa.administrator().code(trace(ALL, 601))).isEqualTo(53);
  }

  @Test
  void otherClientsFindNoTrace() {
    client.bind(person(1), InMemoryDirectory.PASSWORD);
    assertThat(client.code(trace(ALL, 1))).isEqualTo(32);
  }

  @Test
  void requestsWithoutAResponseAreShown() {
    Running trace = begin(equality("stoaTraceIdentity", "anonymous"), LONG);
    client.send(77, Requests.abandon(1));
    assertThat(values(trace.next(), "stoaTraceRequest")).containsExactly("ABANDON msg=1");
  }

  /** The entries are more than the buffers of the system hold, and clients are served meanwhile. */
  @Test
  void anAdministratorWhoDoesNotReadLosesOperations() {
    String filter = "(uid=" + "x".repeat(8_000) + ")";
    Running trace = begin(equality("stoaTraceFilter", filter), 8);
    RawRequest[] requests = new RawRequest[100];
    Arrays.fill(requests, search(PEOPLE).filter(filter).request());
    long sent = 0;
    for (int batch = 0; batch < 30; batch++) {
      int first = client.sendTogether(requests);
      for (int i = 0; i < requests.length; i++) {
        assertThat(RawLdapClient.last(client.await(first + i)).resultCode()).isZero();
        sent++;
      }
    }
    List<RawMessage> answer = trace.administrator().await(trace.messageId());
    assertThat(RawLdapClient.last(answer).resultCode()).isZero();
    SearchResultEntryProtocolOp summary = entry(answer.get(answer.size() - 2));
    long shown = Long.parseLong(values(summary, "stoaTraceShown").get(0));
    long dropped = Long.parseLong(values(summary, "stoaTraceDropped").get(0));
    assertThat(shown).isEqualTo(answer.size() - 2);
    assertThat(dropped).isPositive();
    assertThat(shown + dropped).isBetween(1_024L, sent);
  }

  /** One of two servers ends the connection at each search of people. */
  @Test
  void aRetryHasEachOfItsSendings() throws Exception {
    Path own = Files.createDirectory(folder.resolve("retry"));
    try (ScriptedUpstream broken =
            ScriptedUpstream.start().when(request -> request.isSearchFor(PEOPLE), Answers.close());
        AdministeredServer two =
            AdministeredServer.start(
                own, "cache: {enabled: false}", broken.port(), directory.port());
        RawLdapClient other = two.client()) {
      Running trace = begin(two.administrator(), equality("stoaTraceFilter", "(uid=user.5)"), LONG);
      RawRequest find = search(PEOPLE).filter("(uid=user.5)").request();
      Await.until(
          "a search is sent twice",
          () -> {
            assertThat(other.code(find)).isZero();
            List<String> steps = steps(trace.next());
            return steps.stream().filter(step -> step.matches(SENT)).count() == 2
                && steps.contains("attempt failed")
                && steps.indexOf("first answer") > steps.indexOf("attempt failed");
          });
    }
  }

  /** The stages of an operation are also shown while it is answered by another's search. */
  @Test
  void aJoinedSearchWaitsForTheOther() throws Exception {
    Path own = Files.createDirectory(folder.resolve("join"));
    try (ScriptedUpstream slow = ScriptedUpstream.start();
        AdministeredServer joining =
            AdministeredServer.start(own, "cache: {maxAge: 1h}", slow.port());
        RawLdapClient first = joining.client();
        RawLdapClient second = joining.client()) {
      Held held = slow.hold(request -> request.isSearchFor(PEOPLE));
      Running trace =
          begin(joining.administrator(), equality("stoaTraceFilter", "(uid=user.5)"), LONG);
      RawRequest find = search(PEOPLE).filter("(uid=user.5)").request();
      int one = first.send(find);
      held.awaitArrival();
      int two = second.send(find);
      Await.until("it joins", () -> joining.cache().joined() == 1);
      held.answer(Answers.success());
      first.await(one);
      second.await(two);
      List<List<String>> both = List.of(steps(trace.next()), steps(trace.next()));
      assertThat(both).anyMatch(steps -> steps.contains("cache miss"));
      assertThat(both)
          .anyMatch(
              steps ->
                  steps.contains("cache joined")
                      && steps.contains("queued")
                      && steps.stream().noneMatch(step -> step.matches(SENT)));
    }
  }

  // stoactl

  private Outcome stoactl(String... words) {
    List<String> all =
        new ArrayList<>(
            List.of("-H", "ldap://127.0.0.1:" + TestServers.port(stoa.server()), "trace"));
    all.addAll(List.of(words));
    Map<String, String> password = Map.of("STOACTL_PASSWORD", "correct horse");
    return StoaUnderLoad.stoactl(password, all.toArray(String[]::new));
  }

  /** Searches until the command has ended. */
  private Outcome whileSearching(String... words) {
    CompletableFuture<Outcome> outcome = CompletableFuture.supplyAsync(() -> stoactl(words));
    Await.until(
        "stoactl ends",
        () -> {
          assertThat(client.code(FIND)).isZero();
          return outcome.isDone();
        });
    return outcome.join();
  }

  @Test
  void stoactlPrintsBlocks() {
    client.bind(person(1), InMemoryDirectory.PASSWORD);
    Outcome outcome =
        whileSearching(
            "--identity",
            person(1),
            "--filter",
            "(uid=user.2)",
            "--client",
            "127.0.0.1",
            "--for",
            "1s");
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.code()).isZero();
    assertThat(outcome.out())
        .containsPattern(
            "(?m)^\\d{14}\\.\\d{6}Z client \\d+ \\(127\\.0\\.0\\.1:\\d+\\) op \\d+ uid=")
        .containsPattern("(?m)^  SRCH base=\"dc=example,dc=com\" scope=2 .* attr=uid$")
        .containsPattern("(?m)^ +0 µs  received$")
        .containsPattern("(?m)^ +\\d+ µs  cache hit$")
        .containsPattern("(?m)^ +\\d+ µs  result success \\(0\\), 1 entry, \\d+ octets$")
        .containsPattern("(?m)^[\\d,]+ operations? shown");
  }

  @Test
  void stoactlPrintsJsonLines() throws Exception {
    Outcome outcome = whileSearching("--for", "1s", "--json");
    assertThat(outcome.code()).isZero();
    List<String> lines = outcome.out().strip().lines().toList();
    JSONObject first = new JSONObject(lines.get(0));
    assertThat(first.getFieldAsLong("micros")).isNotNull();
    assertThat(first.getFieldAsArray("steps")).isNotEmpty();
    assertThat(new JSONObject(lines.get(lines.size() - 1)).getFieldAsLong("shown"))
        .isEqualTo(lines.size() - 1);
  }

  @Test
  void stoactlRefusesWrongOptions() {
    for (String time : List.of("0s", "11m", "30", "1h", "")) {
      assertThat(stoactl("--for", time).code()).as(time).isEqualTo(StoactlExitCode.USAGE.code());
    }
    assertThat(stoactl("--filter", "(uid=").err()).contains("is not a valid filter (RFC 4515)");
    assertThat(stoactl("--client", "x").err())
        .contains("the client must be a number, an IP address or a network such as 10.0.0.0/8");
    for (int i = 0; i < 4; i++) {
      begin(ALL, LONG);
    }
    assertThat(stoactl("--for", "1s").err()).contains("4 traces run already");
  }
}
