// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldif.LDIFException;
import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONString;
import io.stoa.cache.sharing.ClassStatus;
import io.stoa.server.StoaUnderLoad.Outcome;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Advice names the change, and is gone once the change is made. */
class AdviceIT {
  private static final int PEOPLE = 20_000;
  private static final int SEARCHES = 40;
  private static final int MANY = 110;
  private static final int SHARED_SEARCHES = 600;
  private static final int ACCOUNTS = 3;

  /** Hits that are verified: the first 100 of each account but the first, less some in flight. */
  private static final int VERIFIED = 180;

  private static final String SLAPD = "slapd: ";

  @TempDir Path folder;

  private Slapd slapd;
  private AdministeredServer stoa;

  /** Next person to search by mail, so that each search is a miss. */
  private int next;

  @BeforeEach
  void start() throws Exception {
    slapd =
        Slapd.start(
            SlapdConfig.stock()
                .global("database config\nrootpw " + SlapdConfig.ROOT_PASSWORD)
                .database(People.SUFFIX, People.ACCESS, People.tree(PEOPLE)));
    stoa =
        AdministeredServer.start(
            folder,
            "'127.0.0.1:0', 'ldapi://" + socket() + "'",
            "cache: {maxAge: 1h}",
            slapd.port());
  }

  @AfterEach
  void stop() {
    stoa.close();
    slapd.close();
  }

  private String socket() {
    return folder.resolve("ldapi").toString().replace("/", "%2F");
  }

  private Outcome stoactl(String... words) {
    Outcome outcome = StoaUnderLoad.stoactl(Map.of("STOACTL_URI", "ldapi://" + socket()), words);
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return outcome;
  }

  private JSONObject advise() {
    return StoaUnderLoad.parse(stoactl("advise", "--json").out());
  }

  private Optional<JSONObject> advice(String topic) {
    return advise().getFieldAsArray("advice").stream()
        .map(JSONObject.class::cast)
        .filter(advice -> advice.getFieldAsString("topic").equals(topic))
        .findFirst();
  }

  private Optional<JSONObject> index() {
    return advice("index");
  }

  private static List<String> change(JSONObject advice) {
    return advice.getFieldAsArray("change").stream()
        .map(one -> ((JSONString) one).stringValue())
        .toList();
  }

  private void search(RawLdapClient client, String filter) {
    assertThat(
            client.code(Requests.search(People.PEOPLE).filter(filter).attributes("cn").request()))
        .isZero();
  }

  private void searchByMail(RawLdapClient client) {
    for (int count = 0; count < SEARCHES; count++, next++) {
      search(client, "(mail=user." + next + "@example.com)");
    }
  }

  @Test
  void theMissingIndexIsNamedAndTheAdviceEndsWithIt() throws Exception {
    try (RawLdapClient client = stoa.client()) {
      for (int person = 0; person < SEARCHES; person++) {
        search(client, "(uid=user." + person + ")");
      }
      searchByMail(client);
      JSONObject advice = index().orElseThrow(() -> new AssertionError(advise()));
      assertThat(advice.getFieldAsString("subject")).isEqualTo("mail");
      assertThat(advice.getFieldAsString("evidence"))
          .contains("40 searches", "(mail=?)", "1.0 entries");
      apply(advice);
      Await.until(
          "the advice is gone",
          () -> {
            searchByMail(client);
            return index().isEmpty();
          });
    }
    assertThat(stoactl("advise").out()).contains("no advice", "Filter cache sizes", "now");
  }

  /** Makes the change for slapd, in the words of the advice. */
  private void apply(JSONObject advice) throws LDAPException, LDIFException {
    String line =
        change(advice).stream()
            .filter(one -> one.startsWith(SLAPD))
            .findFirst()
            .orElseThrow()
            .substring(SLAPD.length());
    try (LDAPConnection config =
        new LDAPConnection("127.0.0.1", slapd.port(), "cn=config", SlapdConfig.ROOT_PASSWORD)) {
      String database =
          config
              .search("cn=config", SearchScope.SUB, "(olcSuffix=" + People.SUFFIX + ")", "1.1")
              .getSearchEntries()
              .get(0)
              .getDN();
      config.modify("dn: " + database, "changetype: modify", "add: olcDbIndex", line);
    }
  }

  @Test
  void advisedCountsAreResetTogether() {
    try (RawLdapClient client = stoa.client()) {
      for (int person = 0; person < SEARCHES; person++) {
        search(client, "(uid=user." + person + ")");
      }
      searchByMail(client);
    }
    assertThat(index()).isPresent();
    assertThat(stoactl("advise", "reset").out()).contains("digests included");
    assertThat(index()).isEmpty();
  }

  private static void searchAs(AdministeredServer server, int account, String attribute) {
    try (RawLdapClient client = server.client()) {
      client.bind(People.dn(account), People.PASSWORD);
      for (int person = 0; person < SHARED_SEARCHES; person++) {
        client.code(
            Requests.search(People.PEOPLE)
                .filter("(uid=user." + person + ")")
                .attributes(attribute)
                .request());
      }
    }
  }

  @Test
  void aProposedClassHoldsInVerification() throws Exception {
    for (int account = 1; account <= ACCOUNTS; account++) {
      searchAs(stoa, account, "mail");
      searchAs(stoa, account, "description"); // each account sees only its own
    }
    JSONObject advice = advice("sharing").orElseThrow(() -> new AssertionError(advise()));
    List<String> change = change(advice);
    assertThat(change).contains("      include: ['mail', 'uid']");
    String caches = String.join("\n", change).replace("cache:", "cache:\n  maxAge: 1h");
    Path other = Files.createDirectory(folder.resolve("other"));
    try (AdministeredServer shared = AdministeredServer.start(other, caches, slapd.port())) {
      for (int account = 1; account <= ACCOUNTS; account++) {
        searchAs(shared, account, "mail");
      }
      Await.until("hits are verified", () -> shared.cache().classes().get(0).samples() >= VERIFIED);
      ClassStatus status = shared.cache().classes().get(0);
      assertThat(status.hits()).isGreaterThan((ACCOUNTS - 1) * SHARED_SEARCHES / 2);
      assertThat(status.differences()).isZero();
      assertThat(status.demoted()).isFalse();
    }
  }

  /** Sends a request many times, without waiting for each answer. */
  private void repeat(RawRequest request, int times) {
    try (RawLdapClient client = stoa.client()) {
      RawRequest[] all = Collections.nCopies(times, request).toArray(RawRequest[]::new);
      int first = client.sendTogether(all);
      for (int id = first; id < first + times; id++) {
        client.await(id);
      }
    }
  }

  @Test
  void repeatedLargeAnswersGetALargerLimit() {
    try (RawLdapClient client = stoa.client()) {
      for (int count = 0; count < SEARCHES; count++) {
        search(client, "(uid=user.123*)"); // 111 entries
      }
    }
    JSONObject advice = advice("bypass-limit").orElseThrow(() -> new AssertionError(advise()));
    assertThat(advice.getFieldAsString("evidence"))
        .startsWith("39 of 40 answers that were too large")
        .contains("at most 128 entries");
    assertThat(change(advice)).containsExactly("cache:", "  bypassLimit: 128");
  }

  @Test
  void clientsThatBurdenADirectoryAreNamed() {
    for (int count = 0; count < MANY; count++) {
      repeat(Requests.search(People.dn(1)).baseScope().attributes("cn").request(), 1);
    }
    RawRequest wrong = Requests.bind(People.dn(1), "wrong");
    for (int count = 0; count < MANY; count++) {
      try (RawLdapClient client = stoa.client()) {
        assertThat(client.code(wrong)).isEqualTo(49);
      }
    }
    repeat(Requests.search("ou=nowhere," + People.SUFFIX).attributes("cn").request(), 1000);
    repeat(Requests.search(People.PEOPLE).filter("(uid=none)").attributes("cn").request(), 1000);
    assertThat(advise().getFieldAsArray("advice"))
        .map(JSONObject.class::cast)
        .extracting(advice -> advice.getFieldAsString("topic"))
        .contains("connections", "failed-binds", "failed-searches", "empty-searches");
    assertThat(advice("connections").orElseThrow().getFieldAsString("subject"))
        .isEqualTo("127.0.0.1");
    assertThat(advice("failed-binds").orElseThrow().getFieldAsString("evidence"))
        .contains("binds of 127.0.0.1 have failed");
  }

  @Test
  void onlyTheAdministratorSeesAdvice() {
    try (RawLdapClient client = stoa.client()) {
      assertThat(
              client.code(
                  Requests.search("cn=Advice,cn=Monitor").filter("(objectClass=*)").request()))
          .isEqualTo(32);
    }
    List<JSONObject> curves =
        advise().getFieldAsArray("curves").stream().map(JSONObject.class::cast).toList();
    assertThat(curves)
        .extracting(curve -> curve.getFieldAsString("name"))
        .containsExactly("Filter cache sizes", "Entry cache sizes");
    assertThat(curves.get(0).getFieldAsArray("points")).hasSize(5);
  }
}
