// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.directories;

import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import io.stoa.client.rootdse.AdaptConfig.Referrals;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.ServiceWatch;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.ServerAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Several directories behind one proxy, scripted: who is asked what, and as whom. */
class DirectoriesIT {
  private static final String ALPHA = "dc=alpha,dc=test";
  private static final String BETA = "dc=beta,dc=test";
  private static final String ANNA = "uid=anna," + ALPHA;
  private static final String BERT = "uid=bert," + BETA;
  private static final String SECRET = "open sesame";
  private static final int UNAVAILABLE_EXTENSION = 12;
  private static final int REFERRAL = 10;
  private static final int NO_SUCH_OBJECT = 32;
  private static final int SIZE_LIMIT = 4;
  private static final int OTHER = 80;
  private static final int OTHER_DIRECTORY = 71;
  private static final int LARGE = 2 * 1024 * 1024;
  private static final RawRequest ABOVE = search("dc=test").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final ScriptedUpstream rest = ScriptedUpstream.start();
  private final ScriptedUpstream alpha = ScriptedUpstream.start();
  private final ScriptedUpstream beta = ScriptedUpstream.start();
  private RunningProxy proxy;
  private RawLdapClient client;

  @BeforeEach
  void start() {
    entry(rest, "dc=other", "cn=rest,dc=other");
    entry(alpha, ALPHA, ANNA);
    entry(beta, BETA, BERT);
    start(setup());
  }

  private static void entry(ScriptedUpstream directory, String base, String dn) {
    directory.when(request -> request.isSearchFor(base), entries(dn));
  }

  private static Answer entries(String... dns) {
    Entry[] entries = new Entry[dns.length];
    for (int i = 0; i < dns.length; i++) {
      entries[i] = Answers.person("x" + i, "here");
      entries[i].setDN(dns[i]);
    }
    return Answers.entries(entries);
  }

  private ProxySetup setup() {
    return ProxySetup.before(rest.port(), alpha.port(), beta.port())
        .upstream("servers", List.of(spec(rest), spec(alpha, ALPHA), spec(beta, BETA)));
  }

  private static ServerSpec spec(ScriptedUpstream server, String... suffixes) {
    ServerAddress address = new ServerAddress("127.0.0.1", server.port());
    return new ServerSpec(address, true, 1, 1, List.of(suffixes));
  }

  private void start(ProxySetup setup) {
    stop();
    proxy = setup.start();
    proxy.awaitUp();
    client = proxy.client();
  }

  private void stop() {
    if (client != null) {
      client.close();
      proxy.close();
    }
  }

  @AfterEach
  void end() {
    stop();
    List.of(rest, alpha, beta).forEach(ScriptedUpstream::close);
  }

  private List<String> names(RawRequest request) {
    return client.call(request).stream()
        .filter(message -> message.opTag() == RawMessage.SEARCH_ENTRY)
        .map(message -> message.decoded().getSearchResultEntryProtocolOp().getDN())
        .toList();
  }

  private static boolean hasSecret(Received request) {
    return of(request, SECRET);
  }

  private static Predicate<Received> of(String dn) {
    return request ->
        !request.is(Received.UNBIND)
            && request.message().mentions(dn)
            && !request.is(Received.BIND);
  }

  @Test
  void askTheDirectoryThatHoldsTheEntry() {
    assertThat(names(search(ALPHA).request())).containsExactly(ANNA);
    assertThat(names(search("DC=Beta, dc=TEST").request())).isEmpty(); // not what the script knows
    assertThat(names(search(BETA).request())).containsExactly(BERT);
    assertThat(names(search("dc=other").request())).containsExactly("cn=rest,dc=other");
    assertThat(client.code(compare(BERT, "sn", "x"))).isEqualTo(6);
    for (RawRequest write :
        List.of(
            replace(BERT, "sn", "x"),
            Requests.delete(BERT),
            Requests.add(BERT, "objectClass: top"),
            Requests.move(BERT, "uid=b", "ou=x," + BETA))) {
      assertThat(client.code(write)).isZero();
    }
    assertThat(beta.received(request -> request.message().mentions("DC=Beta, dc=TEST"))).hasSize(1);
    assertThat(beta.received(of(BERT))).hasSize(5);
    assertThat(alpha.received(of(BERT))).isEmpty();
    assertThat(rest.received(of(BERT))).isEmpty();
    assertThat(client.code(Requests.move(BERT, "uid=b", ALPHA))).isEqualTo(OTHER_DIRECTORY);
  }

  /** However large an entry is that a directory holds in the place of another one's. */
  @Test
  void showEachEntryOnce() {
    Entry inPlace = Answers.person("anna", "x".repeat(LARGE));
    inPlace.setDN(ANNA);
    Entry own = Answers.person("big", "y".repeat(LARGE));
    own.setDN("cn=big,dc=test");
    rest.when(request -> request.isSearchFor("dc=test"), Answers.entries(inPlace, own));
    assertThat(names(ABOVE)).containsExactlyInAnyOrder(ANNA, BERT, "cn=big,dc=test");
    RawMessage large =
        client.call(ABOVE).stream()
            .filter(message -> message.mentions("cn=big"))
            .findFirst()
            .orElseThrow();
    assertThat(large.mentions("y".repeat(LARGE))).isTrue();
  }

  /** However many directories are asked: the client waits for them together. */
  @Test
  void keepOneDeadlineForAllDirectories() {
    Duration timeout = Duration.ofSeconds(3);
    start(setup().cachesOff().operationTimeout(timeout));
    rest.when(
        request -> request.isSearchFor("dc=test"),
        Answers.slowly(timeout.minusMillis(500), Answers.success()));
    alpha.when(request -> request.isSearchFor(ALPHA), Answers.silence());
    beta.when(request -> request.isSearchFor(BETA), Answers.silence());
    long began = System.nanoTime();
    assertThat(client.code(ABOVE)).isNotZero();
    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .isBetween(timeout, timeout.plusMillis(2_200));
  }

  /** As whoever has bound elsewhere, nobody is anybody here. */
  @Test
  void keepPasswordsToTheirDirectory() {
    start(setup().cachesOff());
    client.bind(ANNA, SECRET);
    readAndWriteEverywhere();
    alpha.dropConnections();
    beta.dropConnections();
    rest.dropConnections();
    Await.until("the loss is seen", () -> client.code(search(ALPHA).request()) == 0);
    readAndWriteEverywhere();
    assertThat(alpha.received(request -> request.is(Received.BIND) && of(request, SECRET)))
        .hasSizeGreaterThan(1);
    assertThat(beta.received(DirectoriesIT::hasSecret)).isEmpty();
    assertThat(rest.received(DirectoriesIT::hasSecret)).isEmpty();
    assertThat(beta.received(of(BETA))).isNotEmpty().allMatch(request -> isAnonymous(request));
    assertThat(rest.received(of("dc=other")))
        .isNotEmpty()
        .allMatch(request -> isAnonymous(request));
    assertThat(alpha.received(of(ALPHA))).allMatch(request -> request.identity().equals(ANNA));
  }

  private static boolean of(Received request, String text) {
    return request.message().mentions(text);
  }

  private static boolean isAnonymous(Received request) {
    return request.identity().isEmpty();
  }

  private void readAndWriteEverywhere() {
    for (String base : List.of(ALPHA, BETA, "dc=other", "dc=test")) {
      assertThat(client.code(search(base).request())).as(base).isZero();
    }
    assertThat(client.code(replace(BERT, "sn", "x"))).isZero();
    assertThat(client.code(replace(ANNA, "sn", "x"))).isZero();
    RawRequest paged = search(BETA).request().with(new SimplePagedResultsControl(1, true));
    assertThat(client.code(paged)).isZero();
    assertThat(client.code(paged)).isZero();
  }

  @Test
  void bindAsEachIdentityOnlyInItsDirectory() {
    start(setup().cachesOff());
    client.bind(ANNA, SECRET);
    client.code(search(BETA).request());
    client.bind(BERT, "another");
    client.code(search(BETA).request());
    client.code(search(ALPHA).request());
    assertThat(beta.received(of(BETA))).extracting(Received::identity).containsExactly("", BERT);
    assertThat(alpha.received(of(ALPHA))).extracting(Received::identity).containsExactly("");
    assertThat(alpha.received(request -> of(request, "another"))).isEmpty();
    assertThat(beta.received(DirectoriesIT::hasSecret)).isEmpty();
  }

  @Test
  void keepSaslIdentitiesInTheirDirectory() {
    rest.when(request -> request.is(Received.BIND), Answers.success());
    assertThat(client.code(Requests.saslBind("PLAIN", "\0anna\0" + SECRET))).isZero();
    assertThat(names(search(BETA).request())).containsExactly(BERT);
    assertThat(names(search("dc=other").request())).containsExactly("cn=rest,dc=other");
    assertThat(rest.received(DirectoriesIT::hasSecret)).hasSize(1);
    assertThat(beta.received(request -> request.is(Received.BIND))).isEmpty();
    assertThat(alpha.received(request -> request.is(Received.BIND))).isEmpty();
  }

  /** A connection of the client's own is one of nobody's, too. */
  @Test
  void pinForeignSessionsAsAnonymous() {
    String unknown = "1.2.3.4.5";
    beta.when(request -> request.is(Received.MODIFY), Answers.success());
    client.bind(ANNA, SECRET);
    Control control = new Control(unknown, true);
    assertThat(client.code(replace(BERT, "sn", "x").with(control))).isZero();
    assertThat(client.code(search(BETA).request())).isZero();
    assertThat(beta.received(DirectoriesIT::hasSecret)).isEmpty();
    assertThat(beta.received(of(BETA))).hasSize(2).allMatch(request -> isAnonymous(request));
  }

  @Test
  void followNoReferralOutOfADirectory() {
    start(setup().cachesOff().adapt("referrals", Referrals.FOLLOW));
    String url = "ldap://127.0.0.1:" + beta.port();
    alpha.when(
        request -> request.is(Received.MODIFY),
        (request, link) -> link.send(request.messageId(), Responses.referral(url)));
    client.bind(ANNA, SECRET);
    int before = beta.received().size();
    assertThat(client.code(replace(ANNA, "sn", "x"))).isEqualTo(REFERRAL);
    assertThat(beta.received().stream().skip(before))
        .noneMatch(request -> request.is(Received.MODIFY) || request.is(Received.BIND));
  }

  @Test
  void changeThePasswordInTheDirectoryOfItsEntry() throws Exception {
    client.bind(ANNA, SECRET);
    for (String user : new String[] {null, BERT, "dn:" + BERT, "u:x"}) {
      var change = new PasswordModifyExtendedRequest(user, "old", "new");
      RawRequest request = Requests.extended(change.getOID(), change.getValue().getValue());
      assertThat(client.code(request)).isZero();
    }
    Predicate<Received> changes = request -> request.is(Received.EXTENDED);
    assertThat(alpha.received(changes)).hasSize(2);
    assertThat(beta.received(changes)).hasSize(2).allMatch(request -> of(request, BERT));
    assertThat(rest.received(changes)).isEmpty();
  }

  /** The service account is Stoa's in all directories; the client's password is in none but one. */
  @Test
  void actForClientsInAllDirectories(@TempDir Path files) {
    for (ScriptedUpstream one : List.of(rest, alpha, beta)) {
      one.when(
          ServiceWatch::isRootDse,
          Answers.entries(ServiceWatch.rootDse("supportedControl", ServiceWatch.OID)));
    }
    start(setup().cachesOff().upstream("identity", ServiceWatch.identity(files)));
    client.bind(ANNA, SECRET);
    readAndWriteEverywhere();
    String unknown = "1.2.3.4.5";
    RawRequest own = replace(BERT, "sn", "x").with(new Control(unknown, true));
    assertThat(client.code(own)).isEqualTo(53); // what only anna herself could do there
    for (ScriptedUpstream one : List.of(rest, beta)) {
      assertThat(one.received(DirectoriesIT::hasSecret)).isEmpty();
      assertThat(ServiceWatch.received(one)).isNotEmpty();
      assertThat(ServiceWatch.violations(one, request -> ANNA)).isEmpty();
      assertThat(one.received(request -> of(request, unknown))).isEmpty();
    }
  }

  /** What one sees as nobody is kept apart from what another sees as somebody. */
  @Test
  void keepAnswersOfIdentitiesApart() {
    beta.when(
        request -> request.isSearchFor(BETA) && !request.identity().isEmpty(),
        entries(BERT, "uid=hidden," + BETA));
    RawRequest read = search(BETA).request();
    try (RawLdapClient insider = proxy.client()) {
      insider.bind(BERT, SECRET);
      assertThat(insider.call(read)).hasSize(3);
      client.bind(ANNA, SECRET);
      assertThat(client.call(read)).hasSize(2);
      assertThat(client.call(read)).hasSize(2);
      assertThat(insider.call(read)).hasSize(3);
      assertThat(beta.received(of(BETA))).hasSize(2);
    }
  }

  // Above several directories

  @Test
  void mergeResultsOfSeveralDirectories() {
    assertThat(names(ABOVE)).containsExactlyInAnyOrder(ANNA, BERT);
    assertThat(names(ABOVE)).hasSize(2);
    assertThat(rest.received(of("dc=test"))).hasSize(1); // then from memory
    assertThat(names(search("").request())).contains(ANNA, BERT);
    assertThat(names(search("dc=test").oneLevel().request())).hasSize(2);
    assertThat(beta.received(of(BETA)).get(2).message().decoded().getSearchRequestProtocolOp())
        .matches(search -> search.getScope().intValue() == 0 && search.getBaseDN().equals(BETA));
    client.code(replace(BERT, "sn", "x"));
    assertThat(names(ABOVE)).hasSize(2);
    assertThat(rest.received(of("dc=test"))).hasSizeGreaterThan(2);
  }

  @Test
  void mergeResultCodesOfSeveralDirectories() {
    rest.when(of("dc=test"), Answers.result(NO_SUCH_OBJECT));
    alpha.when(of(ALPHA), Answers.result(NO_SUCH_OBJECT));
    assertThat(names(ABOVE)).containsExactly(BERT);
    beta.when(of(BETA), Answers.result(NO_SUCH_OBJECT));
    assertThat(client.code(search("dc=test").filter("(a=b)").request())).isEqualTo(NO_SUCH_OBJECT);
    alpha.when(of(ALPHA), Answers.result(50));
    assertThat(client.code(search("dc=test").filter("(a=c)").request())).isEqualTo(50);
  }

  @Test
  void keepToTheSizeLimit() {
    alpha.when(of(ALPHA), entries("uid=1," + ALPHA, "uid=2," + ALPHA));
    beta.when(of(BETA), entries("uid=3," + BETA, "uid=4," + BETA));
    for (int limit = 1; limit <= 5; limit++) {
      List<RawMessage> answer = client.call(search("dc=test").sizeLimit(limit).request());
      assertThat(answer).hasSize(Math.min(limit, 4) + 1);
      assertThat(RawLdapClient.last(answer).resultCode()).isEqualTo(limit < 4 ? SIZE_LIMIT : 0);
    }
  }

  @Test
  void makeReferencesOfReferrals() {
    String url = "ldap://127.0.0.1:1/" + BETA;
    beta.when(
        of(BETA), (request, link) -> link.send(request.messageId(), new RawRequest(referral(url))));
    List<RawMessage> answer = client.call(ABOVE);
    assertThat(answer).anyMatch(one -> one.opTag() == RawMessage.SEARCH_REFERENCE);
    assertThat(RawLdapClient.last(answer).resultCode()).isZero();
  }

  private static byte[] referral(String url) {
    byte[] op = Responses.referral(url).op();
    op[0] = (byte) RawMessage.SEARCH_DONE;
    return op;
  }

  @Test
  void refuseControlsThatOnlyOneDirectoryCanServe() {
    var sort = new ServerSideSortRequestControl(true, new SortKey("sn"));
    assertThat(client.code(ABOVE.with(sort))).isEqualTo(UNAVAILABLE_EXTENSION);
    var wish = new ServerSideSortRequestControl(false, new SortKey("sn"));
    assertThat(names(ABOVE.with(wish))).hasSize(2);
    assertThat(beta.received(request -> of(request, "1.2.840.113556.1.4.473"))).isEmpty();
  }

  @Test
  void abandonAllPartsOfASearch() {
    Held held = beta.hold(of(BETA));
    int id = client.send(ABOVE);
    held.awaitArrival();
    client.send(Requests.abandon(id));
    beta.awaitReceived(1, request -> request.is(Received.ABANDON));
    assertThat(client.take(id)).isEmpty();
  }

  /** A write that a guest has sent happens, and no Cancel says otherwise. */
  @Test
  void cancelNoForeignWrite() {
    client.bind(ANNA, SECRET);
    Held held = beta.hold(request -> request.is(Received.MODIFY));
    int id = client.send(replace(BERT, "sn", "x"));
    held.awaitArrival();
    byte[] value = {0x30, 3, 2, 1, (byte) id};
    assertThat(client.code(Requests.extended("1.3.6.1.1.8", value))).isEqualTo(121);
    held.answer(Answers.success());
    assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
  }

  /** Nobody knows whether it has happened: the client hears that, and no answer from before. */
  @Test
  void reportAnUnknownOutcomeOfAForeignWrite() {
    client.bind(ANNA, SECRET);
    long voided = proxy.cache().invalidations();
    beta.when(request -> request.is(Received.MODIFY), Answers.close());
    RawMessage answer = RawLdapClient.last(client.call(replace(BERT, "sn", "x")));
    assertThat(answer.resultCode()).isEqualTo(OTHER);
    assertThat(answer.mentions("outcome unknown")).isTrue();
    assertThat(proxy.cache().invalidations()).isGreaterThan(voided);
  }

  @Test
  void showAllNamingContexts() {
    RawMessage root = client.call(search("").baseScope().attributes("*", "+").request()).get(0);
    assertThat(
            root.decoded().getSearchResultEntryProtocolOp().getAttributes().stream()
                .filter(attribute -> attribute.getName().equalsIgnoreCase("namingContexts"))
                .flatMap(attribute -> List.of(attribute.getValues()).stream()))
        .containsExactlyInAnyOrder("dc=example,dc=com", ALPHA, BETA);
  }

  /** One directory is gone: the others are there as before. */
  @Test
  void serveTheOtherDirectoriesDuringAnOutage() {
    beta.goDown();
    assertThat(names(search(ALPHA).request())).containsExactly(ANNA);
    assertThat(client.code(search(BETA).request())).isEqualTo(52);
    assertThat(client.code(ABOVE)).isEqualTo(52);
    client.bind(ANNA, SECRET);
    assertThat(client.code(Requests.bind(BERT, "x"))).isEqualTo(52);
  }
}
