// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import io.stoa.cache.result.CacheStats;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Soak;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * What all see alike is changed in place: whatever others write, what is in memory is, octet by
 * octet, what slapd gives, and it stays in memory.
 */
class IncrementalUpdateIT {
  private static final int PEOPLE = 20;
  private static final int BURST = 70;
  private static final int BURSTS = Soak.scale(15, 2_000);
  private static final List<String> CITIES = List.of("Athens", "Bonn", "Cork");
  private static final List<String> NAMES = List.of("Miller", "Smith", "Jones");

  private final SplittableRandom random = new SplittableRandom(Soak.seed());

  private static List<RawRequest> questions() {
    List<RawRequest> all = new ArrayList<>();
    for (String city : CITIES) {
      all.add(ask("(l=" + city + ")", "uid", "l"));
      all.add(ask("(l=" + city + ")", "cn", "sn", "entryCSN", "modifyTimestamp"));
    }
    for (String name : NAMES) {
      all.add(ask("(&(objectClass=person)(sn=" + name + "))", "sn", "uid", "mail"));
    }
    for (int person = 2; person < PEOPLE; person++) {
      all.add(ask("(uid=user." + person + ")", "uid", "l", "sn", "telephoneNumber"));
    }
    return all;
  }

  private static RawRequest ask(String filter, String... attributes) {
    return Requests.search(People.PEOPLE).filter(filter).attributes(attributes).request();
  }

  /** The entries in any order, and how it ends. */
  private static List<String> answer(RawLdapClient client, RawRequest request) {
    return client.call(request).stream()
        .map(message -> Arrays.toString(message.op()))
        .sorted()
        .toList();
  }

  @Test
  void uniformResultsAreUpdatedInPlaceAsSlapdAnswers() throws Exception {
    List<RawRequest> questions = questions();
    try (SlapdWithFeed people = UniformSlapdWithFeed.of(PEOPLE).start();
        RawLdapClient client = people.proxy().client().bind(People.dn(1), People.PASSWORD);
        RawLdapClient direct =
            RawLdapClient.connect(people.slapd().address()).bind(People.dn(1), People.PASSWORD)) {
      people.awaitLive();
      Await.until("all is in memory", () -> misses(people, client, questions) == 0);
      people.awaitLive(); // what was read before is no newer than what it has told
      long before = people.proxy().cache().filterMisses();
      for (int burst = 0; burst < BURSTS; burst++) {
        for (int i = 0; i < BURST; i++) {
          change(people.root());
        }
        Await.until("memory is what slapd has", () -> areAlike(client, direct, questions));
        people.awaitLive();
      }
      long missed = people.proxy().cache().filterMisses() - before;
      Soak.record(
          "%d changes, %d results changed in place, %d misses"
              .formatted(BURSTS * BURST, people.report().domain().updates(), missed));
      // Many changes find nobody to change, or alter nothing that is asked for.
      assertThat(people.report().domain().updates()).isGreaterThan((long) BURSTS * BURST / 3);
      // What would have more entries than slapd has ever given is asked for again.
      assertThat(missed).isLessThan((long) BURSTS * BURST * 2 / 5);
      assertThat(people.report().domain().abortedChanges()).isZero();
    }
  }

  private static long misses(
      SlapdWithFeed people, RawLdapClient client, List<RawRequest> questions) {
    CacheStats before = people.proxy().cache();
    questions.forEach(client::call);
    return people.proxy().cache().filterMisses() - before.filterMisses();
  }

  private static boolean areAlike(
      RawLdapClient client, RawLdapClient direct, List<RawRequest> questions) {
    return questions.stream().allMatch(one -> answer(client, one).equals(answer(direct, one)));
  }

  private void change(LDAPConnection root) throws Exception {
    int person = 2 + random.nextInt(PEOPLE - 2);
    try {
      switch (random.nextInt(10)) {
        case 0 -> root.delete(People.dn(person));
        case 1 -> root.modifyDN(People.dn(person), "uid=other." + person, true);
        case 2, 3 -> back(root, person);
        case 4, 5, 6 -> root.modify(People.dn(person), set("sn", any(NAMES)));
        default -> root.modify(People.dn(person), set("l", any(CITIES)));
      }
    } catch (LDAPException e) {
      if (!e.getResultCode().equals(ResultCode.NO_SUCH_OBJECT)
          && !e.getResultCode().equals(ResultCode.ENTRY_ALREADY_EXISTS)) {
        throw e;
      }
    }
  }

  private void back(LDAPConnection root, int person) throws Exception {
    String other = "uid=other." + person + "," + People.PEOPLE;
    if (root.getEntry(other, "1.1") != null) {
      root.modifyDN(other, "uid=user." + person, true);
    } else {
      root.add(
          "dn: " + People.dn(person),
          "objectClass: inetOrgPerson",
          "uid: user." + person,
          "cn: Person " + person,
          "sn: " + any(NAMES),
          "l: " + any(CITIES));
    }
  }

  private static Modification set(String attribute, String value) {
    return new Modification(ModificationType.REPLACE, attribute, value);
  }

  private String any(List<String> values) {
    return values.get(random.nextInt(values.size()));
  }
}
