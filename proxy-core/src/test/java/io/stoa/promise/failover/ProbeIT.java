// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.LongForm;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.upstream.connection.ProbeConfig;
import io.stoa.upstream.server.BackendState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A directory that answers is up, whatever its answers look like. */
class ProbeIT {
  private static final RawRequest FIND =
      search("ou=people,dc=example,dc=com").filter("(uid=anna)").request();
  private static final Entry ANNA = Answers.person("anna", "written at length");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private RunningProxy startUntilReady() {
    RunningProxy proxy = ProxySetup.before(upstream.port()).startWithoutUpstream();
    Await.until("the proxy is ready", () -> proxy.status().ready());
    return proxy;
  }

  /**
   * As Active Directory does: a load balancer's check that knows one form only takes it for dead.
   */
  @Test
  void aDirectoryWithLongFormLengthsIsUp() {
    Entry rootDse = new Entry("");
    rootDse.addAttribute("namingContexts", "dc=example,dc=com");
    upstream.always(atLength(rootDse));
    upstream.when(request -> request.isSearchFor("anna"), atLength(ANNA));
    try (RunningProxy proxy = startUntilReady();
        RawLdapClient client = proxy.client()) {
      assertThat(client.call(FIND).get(0).mentions("written at length")).isTrue();
      assertThat(client.call(FIND).get(0).mentions("written at length")).isTrue();
      assertThat(proxy.cache().filterHits()).isEqualTo(1);
    }
  }

  private static Answer atLength(Entry entry) {
    return (request, link) -> {
      int id = request.messageId();
      link.sendOctets(LongForm.of(Responses.entry(entry).encode(id)));
      link.sendOctets(LongForm.of(Responses.searchDone(0).encode(id)));
    };
  }

  /** operationsError, inappropriateAuthentication, insufficientAccessRights. */
  @ParameterizedTest
  @ValueSource(ints = {1, 48, 50})
  void aDirectoryThatRefusesAnonymousSearchesIsUp(int code) {
    upstream.when(
        request -> request.is(Received.SEARCH) && request.identity().isEmpty(),
        Answers.result(code));
    upstream.when(
        request -> request.isSearchFor("anna") && !request.identity().isEmpty(),
        Answers.entries(ANNA));
    try (RunningProxy proxy = startUntilReady();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(FIND)).isEqualTo(code);
      assertThat(client.code(Requests.bind("uid=anna,dc=example,dc=com", "secret"))).isZero();
      assertThat(client.call(FIND)).hasSize(2);
    }
  }

  private static final String PROBER = "cn=prober,dc=example,dc=com";

  @TempDir Path files;

  private ProxySetup setup(String base, String filter, String expect) {
    return ProxySetup.before(upstream.port())
        .upstream("probe", new ProbeConfig("", "", base, filter, expect, Duration.ofMillis(50)));
  }

  private BackendState state(RunningProxy proxy) {
    return proxy.status().backends().get(0).state();
  }

  private void awaitState(RunningProxy proxy, BackendState wanted) {
    Await.until("the server is " + wanted, () -> state(proxy) == wanted);
  }

  private static Entry synced(String value) {
    return new Entry("", new Attribute("isSynchronized", value));
  }

  /** A replica that is filled anew answers, but it does not have what it should. */
  @Test
  void aDirectoryWithoutTheExpectedEntryIsDown() {
    Predicate<Received> probed = request -> request.isSearchFor("cn=alive");
    upstream.when(probed, Answers.result(32));
    ProxySetup setup = setup("cn=alive,dc=example,dc=com", "(cn=alive)", "");
    try (RunningProxy proxy = setup.startWithoutUpstream()) {
      upstream.awaitReceived(3, probed);
      assertThat(log.awaitWarningsOf("Health", 1)).hasSize(1);
      proxy.awaitReason(1, "cn=alive,dc=example,dc=com", "32");
      upstream.when(probed, Answers.entries(new Entry("cn=alive,dc=example,dc=com")));
      awaitState(proxy, BackendState.UP);
      upstream.when(probed, Answers.success());
      proxy.awaitReason(1, "not found: entry cn=alive");
    }
  }

  @Test
  void anUnexpectedProbeValueTakesTheServerDown() {
    Predicate<Received> probed = request -> request.isSearchFor("isSynchronized");
    upstream.when(probed, Answers.entries(synced("TRUE")));
    try (RunningProxy proxy = setup("", "", "isSynchronized=true").startWithoutUpstream()) {
      awaitState(proxy, BackendState.UP);
      upstream.when(probed, Answers.entries(synced("FALSE")));
      proxy.awaitReason(1, "root DSE lacks isSynchronized=true");
      upstream.when(probed, Answers.entries(synced("TRUE")));
      awaitState(proxy, BackendState.UP);
    }
  }

  /** The file is read again where the password has been changed. */
  @Test
  void theProbeBindsAsItsOwnAccount() throws IOException {
    Path password = Files.writeString(files.resolve("password"), "old\n");
    upstream.when(request -> request.is(Received.SEARCH), Answers.result(50));
    upstream.when(
        request -> request.isSearchFor("isSynchronized") && request.identity().equals(PROBER),
        Answers.entries(synced("TRUE")));
    upstream.when(
        request -> request.is(Received.BIND) && request.message().mentions("old"),
        Answers.result(49));
    ProbeConfig probe =
        new ProbeConfig(
            PROBER, password.toString(), "", "", "isSynchronized=TRUE", Duration.ofMillis(50));
    ProxySetup setup = ProxySetup.before(upstream.port()).upstream("probe", probe);
    try (RunningProxy proxy = setup.startWithoutUpstream()) {
      proxy.awaitReason(1, "the probe", "49");
      Files.writeString(password, "new");
      awaitState(proxy, BackendState.UP);
    }
  }

  /** To be let in may take its time: TLS and a bind cost a server more than an answer. */
  @Test
  void aServerThatTakesLongToLetTheProbeInIsNotSuspect() throws IOException {
    Path password = Files.writeString(files.resolve("password"), "secret");
    ProbeConfig probe =
        new ProbeConfig(PROBER, password.toString(), "", "", "", Duration.ofMillis(50));
    ProxySetup setup =
        ProxySetup.before(upstream.port())
            .upstream("probe", probe)
            .upstream("attemptTimeout", Duration.ofSeconds(20));
    try (RunningProxy proxy = setup.start()) {
      Held bind = upstream.hold(request -> request.is(Received.BIND));
      upstream.dropConnections();
      bind.awaitArrival();
      long end = System.nanoTime() + Duration.ofMillis(600).toNanos();
      while (System.nanoTime() < end) {
        assertThat(proxy.status().backends().get(0).reason())
            .doesNotContain("no connection for the health check");
      }
      bind.answer(Answers.success());
    }
  }

  /**
   * A directory with too much to do may be late with the probe, and answers others all the same.
   */
  @Test
  void aServerThatAnswersClientsIsNotDown() {
    AtomicBoolean busy = new AtomicBoolean();
    upstream.when(request -> request.isSearchFor("anna"), Answers.entries(ANNA));
    Predicate<Received> probed = request -> request.isSearchFor("1.1");
    upstream.when(request -> busy.get() && probed.test(request), (request, link) -> {});
    ProxySetup setup =
        ProxySetup.before(upstream.port())
            .cachesOff()
            .upstream("connectTimeout", Duration.ofMillis(300))
            .upstream(
                "probe", new ProbeConfig("", "", "", "(objectClass=*)", "", Duration.ofMillis(50)));
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client()) {
      busy.set(true);
      int before = upstream.received(probed).size();
      Await.until(
          "it is suspect, and its probe has been asked anew",
          () -> {
            assertThat(client.call(FIND)).hasSize(2);
            assertThat(state(proxy)).isNotEqualTo(BackendState.DOWN);
            return state(proxy) == BackendState.SUSPECT
                && upstream.received(probed).size() > before + 2;
          });
      assertThat(state(proxy)).isEqualTo(BackendState.SUSPECT);
      busy.set(false); // for whoever asks anew: what was asked before is never answered
      awaitState(proxy, BackendState.UP);
    }
  }

  /** What a server refuses for having too much to do. */
  private enum Refused {
    CONTENT,
    BIND
  }

  /**
   * It would answer nobody else if the probe's word took it out of use; and it may be the only one.
   */
  @ParameterizedTest
  @EnumSource
  void aServerThatIsTooBusyForItsProbeIsNotDown(Refused refused) throws IOException {
    AtomicBoolean busy = new AtomicBoolean();
    Predicate<Received> probed = request -> request.isSearchFor("cn=alive");
    upstream.when(probed, Answers.entries(new Entry("cn=alive")));
    upstream.when(
        request ->
            busy.get()
                && (refused == Refused.BIND ? request.is(Received.BIND) : probed.test(request)),
        Answers.result(51));
    upstream.when(request -> request.isSearchFor("anna"), Answers.entries(ANNA));
    Path password = Files.writeString(files.resolve("password"), "secret");
    ProbeConfig probe =
        new ProbeConfig(PROBER, password.toString(), "cn=alive", "", "", Duration.ofMillis(50));
    ProxySetup setup = ProxySetup.before(upstream.port()).cachesOff().upstream("probe", probe);
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client()) {
      assertThat(client.call(FIND)).hasSize(2);
      busy.set(true);
      if (refused == Refused.BIND) {
        upstream.dropConnections();
      }
      Predicate<Received> asked = request -> request.is(Received.BIND) || probed.test(request);
      upstream.awaitReceived(upstream.received(asked).size() + 5, asked);
      assertThat(state(proxy)).isEqualTo(BackendState.UP);
      assertThat(client.call(FIND)).hasSize(2);
    }
  }

  /** Each attempt is in vain, and the log has one line. */
  @Test
  void aServerThatAnswersItsProbeWithNoLdapIsDown() {
    Predicate<Received> probed = request -> request.is(Received.SEARCH);
    upstream.when(
        probed, (request, link) -> link.sendOctets("HTTP/1.1 400\r\n".getBytes(US_ASCII)));
    try (RunningProxy proxy = setup("", "", "").startWithoutUpstream()) {
      upstream.awaitReceived(4, probed);
      assertThat(state(proxy)).isNotEqualTo(BackendState.UP);
      proxy.awaitReason(1, "invalid LDAP response");
      assertThat(log.awaitWarningsOf("Health", 1)).hasSize(1);
    }
  }

  /** What its probe is told says nothing of how it serves clients. */
  @Test
  void aServerThatIsTooBusyForItsProbeIsNotEjected() {
    Predicate<Received> probed = request -> request.isSearchFor("1.1");
    try (ScriptedUpstream other = ScriptedUpstream.start();
        RunningProxy proxy =
            ProxySetup.before(other.port(), upstream.port())
                .upstream(
                    "probe",
                    new ProbeConfig("", "", "", "(objectClass=*)", "", Duration.ofMillis(50)))
                .start()
                .awaitUp(2)) {
      upstream.when(probed, Answers.result(51));
      upstream.awaitReceived(upstream.received(probed).size() + 10, probed);
      assertThat(proxy.status().backends().get(1).ejections()).isZero();
    }
  }

  /** To refuse a bind is an answer: what is under way there is answered, too. */
  @Test
  void operationsEndOnAServerThatRefusesTheProbesBind() throws IOException {
    Path password = Files.writeString(files.resolve("password"), "secret");
    Predicate<Received> bind =
        request -> request.is(Received.BIND) && request.message().mentions(PROBER);
    ProxySetup setup =
        ProxySetup.before(upstream.port())
            .upstream("attemptTimeout", Duration.ofMillis(1_500))
            .upstream(
                "probe",
                new ProbeConfig(PROBER, password.toString(), "", "", "", Duration.ofMinutes(1)));
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client()) {
      upstream.when(bind, Answers.result(49));
      upstream.dropConnections();
      int before = upstream.received(bind).size();
      Held write = upstream.hold(request -> request.is(Received.MODIFY));
      int id = client.send(Requests.replace("uid=anna,dc=example,dc=com", "mail", "x"));
      write.awaitArrival();
      upstream.awaitReceived(before + 3, bind);
      assertThat(state(proxy)).isNotEqualTo(BackendState.UP);
      write.answer(Answers.success());
      assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
    }
  }

  /** Neither its probe nor anybody else gets another answer. */
  @Test
  void aServerThatIsBusyForLongAndDoesNothingIsDown() {
    AtomicBoolean busy = new AtomicBoolean();
    upstream.when(request -> busy.get(), Answers.result(52));
    upstream.when(request -> request.is(Received.ABANDON), Answers.silence());
    ProxySetup setup =
        setup("", "", "").cachesOff().upstream("queueTimeout", Duration.ofMillis(500));
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client()) {
      busy.set(true);
      proxy.awaitReason(1, "answered busy or unavailable");
      assertThat(client.code(FIND)).isEqualTo(52);
      busy.set(false);
      awaitState(proxy, BackendState.UP);
      assertThat(client.code(FIND)).isZero();
    }
  }

  /** The configured form before a directory that lets nobody read anonymously. */
  @Test
  void theProbeBindsToARealDirectoryAsItsOwnAccount() throws IOException {
    Path password = Files.writeString(files.resolve("password"), SlapdConfig.ROOT_PASSWORD);
    try (Slapd slapd = Slapd.start(People.slapd(1).global("disallow bind_anon\nrequire authc\n"))) {
      ProbeConfig probe =
          new ProbeConfig(
              SlapdConfig.ROOT_RDN + "," + People.SUFFIX,
              password.toString(),
              People.SUFFIX,
              "(objectClass=*)",
              "dc=EXAMPLE",
              Duration.ofMillis(50));
      ProxySetup setup = ProxySetup.before(slapd.port()).upstream("probe", probe);
      try (RunningProxy proxy = setup.startWithoutUpstream()) {
        awaitState(proxy, BackendState.UP);
      }
    }
  }
}
