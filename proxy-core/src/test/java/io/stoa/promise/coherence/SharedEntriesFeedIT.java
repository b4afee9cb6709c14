// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.TripleReads;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An entry that overlay dynlist computes for one request appears in no answer to a request for
 * which it is not computed: while a feed is live, in a sharing class, and by proxied authorization.
 */
class SharedEntriesFeedIT {
  private static final String DYNAMIC = "cn=dyn," + People.PEOPLE;

  private static SlapdWithFeed start(boolean acting) {
    SlapdWithFeedSetup setup =
        UniformSlapdWithFeed.of(3)
            .overlay("dynlist\ndynlist-attrset groupOfURLs memberURL member")
            .entry(
                DYNAMIC,
                "objectClass: groupOfURLs",
                "cn: dyn",
                "memberURL: ldap:///" + People.PEOPLE + "??one?(uid=*)");
    return (acting ? setup.global("authz-policy to").acting("dn.regex:.") : setup).start();
  }

  /** A read of the whole entry of a person is followed by a read of a part of it. */
  private static boolean isNarrowed(SlapdWithFeed people, LDAPConnection client, int person)
      throws Exception {
    String filter = "(uid=user." + person + ")";
    people.proxy().proxy().setCachingEnabled(false);
    people.proxy().proxy().setCachingEnabled(true);
    SlapdWithFeed.find(client, filter, "*");
    return people.isRemembered(() -> SlapdWithFeed.find(client, filter, "uid", "l"));
  }

  /** One read may miss for another reason, such as the change itself that has just been told. */
  private static boolean isNeverNarrowed(SlapdWithFeed people, LDAPConnection client)
      throws Exception {
    boolean narrowed = false;
    for (int read = 0; read < 20 && !narrowed; read++) {
      narrowed = isNarrowed(people, client, 2 - read % 2);
    }
    return !narrowed;
  }

  /** slapd takes an overlay while it runs. */
  @Test
  void dynlistResultsAreSharedOnlyWhileProvedByTheConfiguration() throws Exception {
    String config = "database config\naccess to * by * read\nrootdn cn=config\nrootpw config\n";
    SlapdWithFeedSetup setup =
        SlapdWithFeedSetup.of(3, Duration.ofMinutes(10))
            .rights(Duration.ofSeconds(1))
            .global(config);
    try (SlapdWithFeed people = setup.start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD);
        LDAPConnection admin =
            SlapdWithFeed.connect(people.slapd().address(), "cn=config", "config")) {
      Await.until("it is proved", () -> isNarrowed(people, client, 2));
      Modification module = new Modification(ModificationType.ADD, "olcModuleLoad", "valsort");
      admin.modify("cn=module{0},cn=config", module);
      admin.add(
          "dn: olcOverlay=valsort,olcDatabase={1}mdb,cn=config",
          "objectClass: olcOverlayConfig",
          "objectClass: olcValSortConfig",
          "olcOverlay: valsort",
          "olcValSortAttr: l " + People.PEOPLE + " alpha-ascend");
      Await.until("it is proved no more", () -> isNeverNarrowed(people, client));
      assertThat(isNarrowed(people, client, 3)).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void dynlistMembersAreNotSharedWithManageDsaIt(boolean acting) {
    RawRequest computed = search(People.PEOPLE).filter("(cn=dyn)").attributes("member").request();
    RawRequest stored =
        search(DYNAMIC)
            .baseScope()
            .attributes("member")
            .request()
            .with(new ManageDsaITRequestControl(false));
    try (SlapdWithFeed people = start(acting);
        RawLdapClient direct = RawLdapClient.connect(people.slapd().address());
        RawLdapClient first = people.proxy().client();
        RawLdapClient second = people.proxy().client()) {
      people.awaitLive();
      direct.bind(People.dn(1), People.PASSWORD);
      List<RawRequest> requests = List.of(computed, stored);
      assertThat(direct.call(computed).get(0).op()).isNotEqualTo(direct.call(stored).get(0).op());
      assertThat(new TripleReads(people.proxy(), direct, first, requests).run()).isEmpty();
      first.bind(People.dn(1), People.PASSWORD);
      assertThat(new TripleReads(people.proxy(), direct, first, requests).run()).isEmpty();
      second.bind(People.dn(2), People.PASSWORD);
      assertThat(new TripleReads(people.proxy(), direct, first, second, requests).run()).isEmpty();
    }
  }
}
