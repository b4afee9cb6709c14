// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.TripleReads;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An entry that overlay dynlist computes for one request appears in no answer to a request for
 * which it is not computed: while a feed is live, in an access class, and by proxied authorization.
 */
class SharedEntriesFedIT {
  private static final String DYNAMIC = "cn=dyn," + People.PEOPLE;

  private static FedPeople start(boolean acting) {
    FedSetup setup =
        UniformPeople.of(3)
            .overlay("dynlist\ndynlist-attrset groupOfURLs memberURL member")
            .entry(
                DYNAMIC,
                "objectClass: groupOfURLs",
                "cn: dyn",
                "memberURL: ldap:///" + People.PEOPLE + "??one?(uid=*)");
    return (acting ? setup.global("authz-policy to").acting("dn.regex:.") : setup).start();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void membersThatDynlistComputesAreNotSharedWithManageDsaIt(boolean acting) {
    RawRequest computed = search(People.PEOPLE).filter("(cn=dyn)").attributes("member").request();
    RawRequest stored =
        search(DYNAMIC)
            .baseScope()
            .attributes("member")
            .request()
            .with(new ManageDsaITRequestControl(false));
    try (FedPeople people = start(acting);
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
