// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.InMemoryDirectory.GROUPS;
import static io.stoa.testing.InMemoryDirectory.PEOPLE;
import static io.stoa.testing.InMemoryDirectory.SUFFIX;
import static io.stoa.testing.InMemoryDirectory.person;
import static io.stoa.testing.Requests.search;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.cache.result.CacheStats;
import io.stoa.ldap.protocol.Oids;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.SearchBuilder;
import io.stoa.testing.Soak;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stoa tells the administrator whether a search would be answered from memory, and is right. */
class ExplainIT {
  private static final String ONE = "dn:" + person(1);
  private static final RawRequest FIND =
      search(SUFFIX).filter("(uid=user.2)").attributes("uid").request();

  @TempDir Path folder;

  private InMemoryDirectory directory;
  private AdministeredServer stoa;
  private RawLdapClient client;

  @BeforeEach
  void start() throws Exception {
    directory = InMemoryDirectory.start(50);
    stoa = AdministeredServer.start(folder, "cache: {maxAge: 1h}", directory.port());
    client = stoa.client();
  }

  @AfterEach
  void stop() {
    client.close();
    stoa.close();
    directory.close();
  }

  private static RawRequest explaining(RawRequest request, String authzId) {
    ASN1OctetString value = authzId.isEmpty() ? null : new ASN1OctetString(authzId);
    return request.with(new Control(Oids.EXPLAIN, true, value));
  }

  private static SearchResultEntryProtocolOp entry(
      AdministeredServer stoa, RawRequest request, String authzId) {
    List<RawMessage> answer = stoa.administrator().call(explaining(request, authzId));
    assertThat(RawLdapClient.last(answer).resultCode()).isZero();
    assertThat(answer).hasSize(2);
    return answer.get(0).decoded().getSearchResultEntryProtocolOp();
  }

  /** The answer, and the words of the reasons. */
  private static String explain(AdministeredServer stoa, RawRequest request, String authzId) {
    SearchResultEntryProtocolOp entry = entry(stoa, request, authzId);
    Stream<String> reasons =
        Arrays.stream(values(entry, "stoaReason")).map(reason -> reason.replaceFirst(":.*", ""));
    return values(entry, "stoaAnswer")[0] + reasons.map(" "::concat).reduce("", String::concat);
  }

  private static String[] values(SearchResultEntryProtocolOp entry, String name) {
    return entry.getAttributes().stream()
        .filter(attribute -> attribute.getName().equals(name))
        .findFirst()
        .map(Attribute::getValues)
        .orElse(new String[0]);
  }

  private void assertExplained(RawRequest request, String expected) {
    assertThat(explain(stoa, request, "")).isEqualTo(expected);
  }

  private void assertExplained(SearchBuilder request, String expected) {
    assertExplained(request.request(), expected);
  }

  // Each reason once

  @Test
  void aStoredResultIsAHitForItsIdentity() {
    assertExplained(FIND, "miss not-stored");
    assertThat(client.code(FIND)).isZero();
    assertExplained(FIND, "hit stored");
    assertThat(explain(stoa, FIND, ONE)).isEqualTo("miss not-stored");
    SearchResultEntryProtocolOp entry = entry(stoa, FIND, "");
    assertThat(entry.getDN()).isEqualTo("cn=Explanation,cn=Caches,cn=Monitor");
    assertThat(values(entry, "stoaEntries")).containsExactly("1");
    long age = Long.parseLong(values(entry, "stoaAge")[0]);
    long left = Long.parseLong(values(entry, "stoaKept")[0]);
    assertThat(values(entry, "stoaHeldBy")).containsExactly("age");
    assertThat(age).isNotNegative();
    assertThat(age + left).isBetween(3_599_000L, 3_600_000L);
    client.bind(person(1), InMemoryDirectory.PASSWORD);
    assertThat(client.code(FIND)).isZero();
    assertThat(explain(stoa, FIND, ONE)).isEqualTo("hit stored");
  }

  @Test
  void aStoredResultThatCannotBeServedNamesTheReason() {
    assertThat(client.code(search(PEOPLE).oneLevel().attributes("cn").request())).isZero();
    assertExplained(search(PEOPLE).oneLevel().attributes("cn"), "hit stored");
    assertExplained(search(PEOPLE).oneLevel().attributes("mail"), "miss not-stored");
    assertExplained(search(PEOPLE).oneLevel().attributes("cn").sizeLimit(3), "miss size-limit");
    stoa.set("stoa-cache-maxAge", "1ms");
    assertExplained(search(PEOPLE).oneLevel().attributes("cn"), "miss expired");
    stoa.set("stoa-cache-maxAge", "1h");
    try (RawLdapClient writer =
        stoa.client().bind(InMemoryDirectory.ROOT_DN, InMemoryDirectory.ROOT_PASSWORD)) {
      assertThat(writer.code(Requests.replace(person(9), "title", "x"))).isZero();
    }
    assertExplained(search(PEOPLE).oneLevel().attributes("cn"), "miss changed");
  }

  @Test
  void aBypassNamesItsReason() {
    assertExplained(search(PEOPLE).filter("(userPassword=x)"), "bypass secret");
    assertExplained(search(PEOPLE).scope(7), "bypass scope");
    assertExplained(search(PEOPLE).filter("(lastLogon=1)"), "bypass volatile");
    assertExplained(search(PEOPLE).attributes("lastLogon"), "bypass volatile");
    assertExplained(search("cn=config").request(), "bypass excluded-subtree");
    assertExplained(FIND.with(new Control("1.2.3.4", false)), "bypass control");
    stoa.set("stoa-cache-exclusions-subtrees", GROUPS);
    assertExplained(search(GROUPS), "bypass excluded-subtree");
    assertExplained(search(PEOPLE).deref(2), "bypass excluded-subtree");
    stoa.set("stoa-cache-exclusions-filterAttributes", "uid");
    assertExplained(search(PEOPLE).filter("(uid=x)"), "bypass excluded-attribute");
    stoa.set("stoa-cache-exclusions-identities", person(1));
    assertThat(explain(stoa, search(PEOPLE).request(), ONE)).isEqualTo("bypass excluded-identity");
    assertExplained(search(PEOPLE), "miss not-stored");
  }

  @Test
  void aDisabledCacheIsABypass() {
    stoa.set("stoa-cache-aclCache", "false");
    assertThat(explain(stoa, FIND, ONE)).isEqualTo("bypass no-acl-cache");
    assertExplained(FIND, "miss not-stored");
    stoa.set("stoa-cache-enabled", "false");
    assertExplained(FIND, "bypass disabled");
  }

  @Test
  void anUnknownOutcomeIsABypass() throws Exception {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        AdministeredServer other =
            AdministeredServer.start(
                folder, "  writeCoherence: 1m\n  operationTimeout: 1s", upstream.port());
        RawLdapClient writer = other.client()) {
      upstream.when(request -> request.is(Received.MODIFY), Answers.silence());
      assertThat(writer.code(Requests.replace("uid=anna," + SUFFIX, "sn", "x"))).isEqualTo(80);
      assertThat(explain(other, FIND, "")).isEqualTo("bypass suspended");
    }
  }

  @Test
  void aWriteInAWindowIsAMissForItsClient() throws Exception {
    try (AdministeredServer other =
            AdministeredServer.start(
                folder,
                "cache: {maxAge: 1h}\nwrites: {windows: [{name: all, every: 10s}]}",
                directory.port());
        RawLdapClient writer = other.client().bind(person(1), InMemoryDirectory.PASSWORD)) {
      RawRequest read = search(person(1)).baseScope().attributes("cn").request();
      assertThat(writer.code(read)).isZero();
      writer.send(Requests.replace(person(1), "title", "x"));
      Await.until(
          "it waits", () -> other.server().proxy().windows().status().get(0).waiting() == 1);
      assertThat(explain(other, read, ONE)).isEqualTo("miss window");
      assertThat(explain(other, read, "")).isEqualTo("miss not-stored");
      other.act("cn=all,cn=Windows,cn=Monitor", "flush");
    }
  }

  // Who may ask, and how

  @Test
  void theControlIsUnknownToOtherClients() {
    assertThat(client.code(explaining(FIND, ""))).isEqualTo(12);
    RawRequest uncritical = FIND.with(new Control(Oids.EXPLAIN, false));
    assertThat(client.call(uncritical).get(0).mentions("user.2")).isTrue();
  }

  @Test
  void theExplainedIdentityMustBeADn() {
    for (String wrong : List.of("u:anna", "anna", "dn:\0sasl\0X\0dn:a=b")) {
      assertThat(stoa.administrator().code(explaining(FIND, wrong))).as(wrong).isEqualTo(2);
    }
    assertThat(stoa.administrator().code(explaining(FIND, "dn:"))).isZero();
  }

  @Test
  void explainingSendsAndCountsNothing() {
    assertThat(client.code(FIND)).isZero();
    CacheStats before = stoa.cache();
    long asked = directory.searches();
    for (int i = 0; i < 10; i++) {
      entry(stoa, FIND, "");
      entry(stoa, FIND, ONE);
      entry(stoa, search(person(i)).request(), "");
    }
    assertThat(stoa.cache()).isEqualTo(before);
    long ofStoaItself = 2; // it looks at the schema now and then
    assertThat(directory.searches()).isLessThanOrEqualTo(asked + ofStoaItself);
  }

  // The next search

  /** Whatever has happened before, the next search does what was said of it. */
  @Test
  void theNextSearchMatchesItsExplanation() {
    long seed = Soak.seed();
    Random random = new Random(seed);
    try (RawLdapClient one = stoa.client().bind(person(1), InMemoryDirectory.PASSWORD);
        RawLdapClient writer =
            stoa.client().bind(InMemoryDirectory.ROOT_DN, InMemoryDirectory.ROOT_PASSWORD)) {
      List<RawRequest> requests = Stream.generate(() -> any(random)).limit(40).toList();
      int hits = 0;
      int count = Soak.scale(1_000, 100_000);
      for (int i = 0; i < count; i++) {
        if (i % 50 == 0) {
          stoa.set("stoa-cache-maxAge", "1h");
        }
        happen(random, writer);
        RawRequest request = requests.get(random.nextInt(requests.size()));
        boolean bound = random.nextBoolean();
        String said = explain(stoa, request, bound ? ONE : "");
        CacheStats before = stoa.cache();
        (bound ? one : client).call(request);
        CacheStats after = stoa.cache();
        String done =
            after.filterHits() > before.filterHits()
                ? "hit"
                : after.filterMisses() > before.filterMisses() ? "miss" : "bypass";
        assertThat(said.split(" ")[0]).as("%s, seed %d, step %d", said, seed, i).isEqualTo(done);
        hits += done.equals("hit") ? 1 : 0;
      }
      assertThat(hits).isBetween(count / 20, count * 19 / 20);
    }
  }

  private void happen(Random random, RawLdapClient writer) {
    switch (random.nextInt(200)) {
      case 0 -> writer.call(Requests.replace(person(random.nextInt(9)), "title", "x"));
      case 1 -> stoa.act(AdministeredServer.CACHES, "flush entry " + person(random.nextInt(9)));
      case 2 -> stoa.act(AdministeredServer.CACHES, "flush identity " + person(1));
      case 3 -> stoa.act(AdministeredServer.CACHES, "flush subtree " + GROUPS);
      case 4 -> stoa.set("stoa-cache-maxAge", "0s");
      case 5 -> stoa.set("stoa-cache-entryCacheSize", random.nextBoolean() ? "10" : "1000");
      default -> {}
    }
  }

  private static RawRequest any(Random random) {
    SearchBuilder search =
        search(one(random, () -> person(random.nextInt(4)), () -> PEOPLE, () -> GROUPS))
            .scope(random.nextInt(3))
            .filter(
                one(
                    random,
                    () -> "(objectClass=*)",
                    () -> "(uid=user." + random.nextInt(4) + ")",
                    () -> "(UID=USER.1)",
                    () -> "(cn=group.0)",
                    () -> "(userPassword=x)"))
            .sizeLimit(one(random, () -> 0, () -> 0, () -> 0, () -> 2, () -> 100))
            .deref(one(random, () -> 0, () -> 3));
    if (random.nextInt(9) > 0) { // all attributes hold a password, and are not stored
      search =
          search.attributes(
              one(random, () -> "cn", () -> "cn", () -> "mail", () -> "1.1", () -> "+"));
    }
    RawRequest request = search.request();
    return switch (random.nextInt(12)) {
      case 0 -> request.with(new Control(Oids.MANAGE_DSA_IT, false));
      case 1 -> request.with(new SimplePagedResultsControl(100));
      case 2 ->
          request.with(new Control("1.2.3.4", false, new ASN1OctetString("x".getBytes(UTF_8))));
      default -> request;
    };
  }

  @SafeVarargs
  private static <T> T one(Random random, Supplier<T>... of) {
    return of[random.nextInt(of.length)].get();
  }
}
