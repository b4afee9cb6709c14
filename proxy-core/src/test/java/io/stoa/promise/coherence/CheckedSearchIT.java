// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import io.stoa.coherence.invalidation.DomainStatus;
import io.stoa.coherence.invalidation.Refusal;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.SearchBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Stoa asks for beside what its clients ask for they never see. */
class CheckedSearchIT {
  private static final List<List<String>> LISTS =
      List.of(
          List.of(),
          List.of("*"),
          List.of("+"),
          List.of("*", "+"),
          List.of("1.1"),
          List.of("1.1", "cn"),
          List.of("cn", "mail"),
          List.of("entryUUID"),
          List.of("ENTRYcsn", "cn"),
          List.of("entryuuid", "entrycsn"),
          List.of("1.3.6.1.1.16.4"),
          List.of("entryUUID;x-option", "cn"),
          List.of("@person"),
          List.of("*", "entryCSN"),
          List.of("nothing"));

  private static final List<String> FILTERS =
      List.of("(uid=user.3)", "(uid=nobody)", "(sn=*)", "(objectClass=*)");

  private static List<RawRequest> searches() {
    List<RawRequest> all = new ArrayList<>();
    for (List<String> list : LISTS) {
      String[] names = list.toArray(String[]::new);
      for (String filter : FILTERS) {
        SearchBuilder search = Requests.search(People.PEOPLE).filter(filter).attributes(names);
        all.add(search.request());
        all.add(search.justTypes().request());
        all.add(search.sizeLimit(3).request());
      }
      all.add(Requests.search(People.dn(4)).baseScope().attributes(names).request());
      all.add(Requests.search("uid=gone," + People.PEOPLE).attributes(names).request());
    }
    return all;
  }

  private static List<String> ops(List<RawMessage> answer) {
    return answer.stream().map(message -> Arrays.toString(message.op())).toList();
  }

  @Test
  void answersEqualTheDirectoryOctetByOctet() {
    try (SlapdWithFeed people = SlapdWithFeed.start(12, Duration.ofSeconds(5));
        RawLdapClient direct = RawLdapClient.connect(people.slapd().address());
        RawLdapClient client = people.proxy().client()) {
      direct.bind(People.dn(2), People.PASSWORD);
      client.bind(People.dn(2), People.PASSWORD);
      people.awaitLive();
      for (RawRequest search : searches()) {
        List<String> wanted = ops(direct.call(search));
        assertThat(ops(client.call(search))).as("first %s", search).isEqualTo(wanted);
        assertThat(ops(client.call(search))).as("again %s", search).isEqualTo(wanted);
      }
      assertThat(people.report().domain().fills()).isGreaterThan(10);
    }
  }

  /** Nobody can see why else nothing rests on the feed that somebody asks for. */
  @Test
  void anAnswerWithoutEntryCsnIsCountedAsUnreadable() throws Exception {
    String rules =
        """
        access to attrs=entryCSN
          by dn.exact="cn=feed,dc=example,dc=com" read by * none
        """;
    try (SlapdWithFeed people =
            SlapdWithFeedSetup.of(3, Duration.ofSeconds(5)).access(rules).start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitLive();
      SlapdWithFeed.find(client, "(uid=user.2)", "uid");
      DomainStatus realm = people.report().domain();
      assertThat(realm.refusals().get(Refusal.NO_STATE)).isEqualTo(1);
      assertThat(realm.fills()).isZero();
    }
  }

  /** It is too large to be collected: it is asked for once more, as the client did. */
  @Test
  void anEntryTooLargeToEditEqualsTheDirectory() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeed.start(2, Duration.ofSeconds(5));
        RawLdapClient direct = RawLdapClient.connect(people.slapd().address());
        RawLdapClient client = people.proxy().client()) {
      people.root().add(large());
      people.awaitLive();
      for (String filter : List.of("(cn=large)", "(|(cn=large)(uid=user.1))", "(objectClass=*)")) {
        RawRequest search = Requests.search(People.SUFFIX).filter(filter).request();
        List<String> wanted = ops(direct.call(search));
        assertThat(ops(client.call(search))).as(filter).isEqualTo(wanted);
        assertThat(ops(client.call(search))).as(filter).isEqualTo(wanted);
      }
    }
  }

  private static String[] large() {
    List<String> lines = new ArrayList<>();
    lines.add("dn: cn=large," + People.SUFFIX);
    lines.add("objectClass: groupOfNames");
    lines.add("cn: large");
    for (int i = 0; i < 30_000; i++) {
      lines.add("member: uid=member." + i + ",ou=people,dc=example,dc=com");
    }
    return lines.toArray(String[]::new);
  }
}
