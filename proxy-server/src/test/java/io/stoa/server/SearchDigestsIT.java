// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONValue;
import io.stoa.server.StoaUnderLoad.Outcome;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Repository;
import io.stoa.testing.Requests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Searches are counted by their pattern, and administrators read the counts. */
class SearchDigestsIT {
  private static final String DIGESTS = "cn=Digests,cn=Monitor";
  private static final String PEOPLE = InMemoryDirectory.PEOPLE;

  @TempDir Path folder;

  private InMemoryDirectory directory;
  private AdministeredServer stoa;

  @BeforeEach
  void start() throws Exception {
    directory = InMemoryDirectory.start(50);
    stoa =
        AdministeredServer.start(
            folder,
            "'127.0.0.1:0', 'ldapi://" + socket() + "'",
            "cache: {maxAge: 1h}",
            directory.port());
  }

  @AfterEach
  void stop() {
    stoa.close();
    directory.close();
  }

  private String socket() {
    return folder.resolve("ldapi").toString().replace("/", "%2F");
  }

  private Outcome stoactl(String... words) {
    return StoaUnderLoad.stoactl(Map.of("STOACTL_URI", "ldapi://" + socket()), words);
  }

  private List<JSONObject> digests(String... more) {
    String[] words = new String[more.length + 3];
    System.arraycopy(new String[] {"digests", "list", "--json"}, 0, words, 0, 3);
    System.arraycopy(more, 0, words, 3, more.length);
    Outcome outcome = stoactl(words);
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return StoaUnderLoad.parse(outcome.out()).getFieldAsArray("digests").stream()
        .map(JSONObject.class::cast)
        .toList();
  }

  private JSONObject digest(String filter) {
    return digests().stream()
        .filter(one -> filter.equals(one.getFieldAsString("filter")))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no digest of " + filter));
  }

  private static List<String> texts(JSONObject digest, String field) {
    return digest.getFieldAsArray(field).stream()
        .map(JSONValue.class::cast)
        .map(one -> one.toNormalizedString().replace("\"", ""))
        .toList();
  }

  private static Integer number(JSONObject digest, String field) {
    return digest.getFieldAsInteger(field);
  }

  @Test
  void searchesThatDifferInValuesAreOnePattern() {
    try (RawLdapClient client = stoa.client()) {
      client.bind(InMemoryDirectory.person(3), InMemoryDirectory.PASSWORD);
      for (int person : new int[] {1, 2, 1, 1}) {
        client.code(search("(uid=user." + person + ")", "mail", "cn"));
      }
      client.code(search("(UID=user.2)", "CN", "mail"));
    }
    JSONObject digest = digest("(uid=?)");
    assertThat(digest.getFieldAsString("base")).isEqualTo(PEOPLE);
    assertThat(digest.getFieldAsString("scope")).isEqualTo("sub");
    assertThat(digest.getFieldAsString("attributes")).isEqualTo("cn mail");
    assertThat(number(digest, "searches")).isEqualTo(5);
    assertThat(number(digest, "hits") + number(digest, "misses")).isEqualTo(5);
    assertThat(number(digest, "hits")).isGreaterThanOrEqualTo(2);
    assertThat(number(digest, "entries")).isEqualTo(5);
    assertThat(number(digest, "values")).isEqualTo(2);
    assertThat(number(digest, "hitP99Micros")).isPositive();
    assertThat(number(digest, "missP50Micros")).isPositive();
    assertThat(number(digest, "upstreamMicros")).isPositive();
    assertThat(texts(digest, "identities")).containsExactly("5 " + InMemoryDirectory.person(3));
    assertThat(texts(digest, "networks")).containsExactly("5 127.0.0.1");
  }

  private static RawRequest search(String filter, String... attributes) {
    return Requests.search(PEOPLE).filter(filter).attributes(attributes).request();
  }

  @Test
  void readsOfEntriesAreOnePattern() {
    try (RawLdapClient client = stoa.client()) {
      for (int i = 0; i < 4; i++) {
        client.code(
            Requests.search(InMemoryDirectory.person(i % 2))
                .baseScope()
                .attributes("cn")
                .request());
      }
    }
    JSONObject digest = digest("(objectclass=*)");
    assertThat(digest.getFieldAsString("base")).isEqualTo("uid=?," + PEOPLE);
    assertThat(number(digest, "searches")).isEqualTo(4);
    assertThat(number(digest, "hits")).isEqualTo(2);
  }

  @Test
  void failedAndEmptyAnswersAreCounted() {
    try (RawLdapClient client = stoa.client()) {
      client.code(search("(sn=nobody)"));
      for (int i = 0; i < 2; i++) { // a miss, and a hit
        client.code(Requests.search("ou=none," + PEOPLE).filter("(sn=x)").oneLevel().request());
      }
    }
    List<JSONObject> both =
        digests().stream().filter(one -> "(sn=?)".equals(one.getFieldAsString("filter"))).toList();
    assertThat(both).hasSize(2);
    assertThat(both.stream().mapToInt(one -> number(one, "empty")).sum()).isEqualTo(3);
    assertThat(both.stream().mapToInt(one -> number(one, "failed")).sum()).isEqualTo(2);
  }

  @Test
  void pipelinedHitsAreAllCounted() {
    try (RawLdapClient client = stoa.client()) {
      client.code(search("(uid=user.1)", "cn"));
      client.code(search("(cn=x)"));
      for (int i = 0; i < 50; i++) {
        client.send(search("(uid=user.1)", "cn"));
        client.send(search("(cn=x)"));
      }
      for (int i = 0; i < 100; i++) {
        while (!client.next().orElseThrow().isFinal()) {
          // entries precede the final response
        }
      }
    }
    assertThat(number(digest("(uid=?)"), "hits")).isEqualTo(50);
    assertThat(number(digest("(cn=?)"), "hits")).isEqualTo(50);
    assertThat(number(digest("(cn=?)"), "empty")).isEqualTo(51);
  }

  /** A page is a search of its client. The whole result that Stoa reads for it is not. */
  @Test
  void pagedSearchesAreCountedOnce() throws Exception {
    try (LDAPConnection client = TestServers.connect(stoa.server())) {
      for (int i = 0; i < 2; i++) {
        SearchRequest paged = new SearchRequest(PEOPLE, SearchScope.SUB, Filter.create("(ou=p*)"));
        paged.addControl(new SimplePagedResultsControl(10, false));
        client.search(paged);
      }
    }
    JSONObject digest = digest("(ou=?*)");
    assertThat(number(digest, "searches")).isEqualTo(2);
    assertThat(number(digest, "hits")).isEqualTo(1);
  }

  @Test
  void searchesAroundTheCachesAreCounted() {
    stoa.set("stoa-cache-enabled", "false");
    try (RawLdapClient client = stoa.client()) {
      client.code(search("(uid=user.1)", "cn"));
      client.code(search("(uid=user.1)", "cn"));
    }
    assertThat(number(digest("(uid=?)"), "bypassed")).isEqualTo(2);
    assertThat(number(digest("(uid=?)"), "values")).isEqualTo(1);
  }

  @Test
  void noValueOfASearchIsShown() {
    try (RawLdapClient client = stoa.client()) {
      client.code(search("(&(objectClass=person)(|(userPassword=s3cret)(sn=*s3cret*)))"));
      client.code(Requests.search("uid=s3cret," + PEOPLE).baseScope().request());
    }
    assertThat(stoactl("digests", "list", "--json").out())
        .contains("(&(objectclass=person)(|(userpassword=?)(sn=*?*)))")
        .doesNotContain("s3cret");
  }

  @Test
  void listShowAndReset() {
    try (RawLdapClient client = stoa.client()) {
      client.code(search("(uid=user.1)", "cn"));
      client.code(search("(uid=user.1)", "cn"));
      client.code(search("(mail=x)"));
    }
    assertThat(digests("--sort", "searches", "--limit", "1"))
        .singleElement()
        .extracting(one -> one.getFieldAsString("filter"))
        .isEqualTo("(uid=?)");
    String id = digest("(uid=?)").getFieldAsString("id");
    assertThat(stoactl("digests", "show", id).out()).contains("(uid=?)", "hitRatio", "50.0 %");
    assertThat(stoactl("digests", "show", "none").err()).contains("there is no pattern none");
    assertThat(stoactl("digests", "reset").code()).isZero();
    assertThat(digests())
        .singleElement()
        .extracting(one -> one.getFieldAsString("id"))
        .isEqualTo("others");
  }

  @Test
  void theCommandsOfTheGuideWork() throws IOException {
    String guide = Files.readString(Repository.root().resolve("docs/guides/monitoring.md"));
    List<String> commands =
        guide.lines().filter(line -> line.startsWith("stoactl digests ")).toList();
    assertThat(commands).hasSize(2);
    for (String command : commands) {
      Outcome outcome = stoactl(command.substring("stoactl ".length()).split(" "));
      assertThat(outcome.code()).as(command + ": " + outcome.err()).isZero();
      assertThat(outcome.out()).contains("upstreamMicros", "others");
    }
  }

  /** Others see neither the digests nor their container. */
  @Test
  void digestsAreForTheAdministrator() throws Exception {
    try (RawLdapClient client = stoa.client()) {
      client.code(search("(uid=user.1)", "cn"));
    }
    try (LDAPConnection client = TestServers.connect(stoa.server())) {
      List<SearchResultEntry> seen =
          client
              .search("cn=Monitor", SearchScope.SUB, "(objectClass=*)", "*", "+")
              .getSearchEntries();
      assertThat(seen).isNotEmpty();
      assertThat(seen).noneMatch(entry -> entry.getDN().endsWith(DIGESTS));
    }
    assertThat(stoa.code(DIGESTS, "reset")).isZero();
  }
}
