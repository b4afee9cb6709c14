// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Controls.DEREF;
import static io.stoa.server.differential.Controls.DONT_USE_COPY;
import static io.stoa.server.differential.Controls.NO_OP;
import static io.stoa.server.differential.Controls.RELAX;
import static io.stoa.server.differential.Directory.ALICE;
import static io.stoa.server.differential.Directory.BOB;
import static io.stoa.server.differential.Directory.GROUPS;
import static io.stoa.server.differential.Directory.PEOPLE;
import static io.stoa.server.differential.Directory.REFERRAL;
import static io.stoa.server.differential.Directory.SUFFIX;
import static io.stoa.server.differential.Directory.person;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.search;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.MatchedValuesFilter;
import com.unboundid.ldap.sdk.controls.MatchedValuesRequestControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import io.stoa.testing.RawRequest;
import io.stoa.testing.SearchBuilder;

/** Controls on reads. */
final class ControlSteps {
  private static final SearchBuilder THREE =
      search(PEOPLE).filter("(|(uid=staff3)(uid=staff4)(uid=staff5))").attributes("uid", "mail");

  private ControlSteps() {}

  static void addTo(Script script) {
    referrals(script.group("ManageDsaIT").on("alice"));
    transparent(script.group("controls that do not change the answer"));
    proxied(script.group("proxied authorization"));
    sorted(script.group("sorting").on("alice"));
    assertions(script.group("assertion"));
    values(script.group("matched values"));
    deref(script.group("deref"));
    unknown(script.group("unknown controls"));
  }

  private static void referrals(Script script) {
    for (boolean critical : new boolean[] {false, true}) {
      Control manage = new ManageDsaITRequestControl(critical);
      script.cached(search(REFERRAL).baseScope().request().with(manage));
      script.cached(THREE.request().with(manage));
      script.cached(search(GROUPS).oneLevel().deref(3).request().with(manage));
      script.cached(compare(REFERRAL, "cn", "elsewhere").with(manage));
    }
    script.cached(THREE.request());
  }

  private static void transparent(Script script) {
    script.cached(THREE.request().with(Controls.sessionTracking("10.0.0.1")));
    script.cached(THREE.request().with(Controls.sessionTracking("10.0.0.2")));
    script.uncached(THREE.request().with(new Control(DONT_USE_COPY, true)));
    script.uncached(THREE.request().with(new Control(DONT_USE_COPY, false)));
    script.uncached(compare(person("staff3"), "cn", "x").with(new Control(DONT_USE_COPY, true)));
    script.either(THREE.request().with(new Control(NO_OP, false)));
    script.either(THREE.request().with(new Control(RELAX, false)));
    script.either(THREE.request().with(Controls.PASSWORD_POLICY));
  }

  private static void proxied(Script script) {
    SearchBuilder own = search(ALICE).baseScope().attributes("description");
    Control asAlice = new ProxiedAuthorizationV2RequestControl("dn:" + ALICE);
    Control asBob = new ProxiedAuthorizationV2RequestControl("dn:" + BOB);
    Control asNobody = new ProxiedAuthorizationV2RequestControl("");
    Control asManager = new ProxiedAuthorizationV2RequestControl("dn:" + Directory.MANAGER);
    RawRequest whoAmI = extended("1.3.6.1.4.1.4203.1.11.3");
    script.on("proxy");
    script.cached(own.request());
    script.uncached(own.request().with(asAlice));
    script.uncached(own.request().with(asBob));
    script.uncached(own.request().with(asNobody));
    script.refusedRead(own.request().with(asManager));
    script.once(whoAmI.with(asAlice));
    script.once(whoAmI);
    script.uncached(compare(ALICE, "description", "only for alice").with(asAlice));
    script.on("bob");
    script.refusedRead(own.request().with(asAlice));
    script.refusedRead(
        own.request().with(new Control(asAlice.getOID(), false, asAlice.getValue())));
    script.on("root");
    script.uncached(own.request().with(asAlice));
  }

  private static void sorted(Script script) {
    Control byName =
        new ServerSideSortRequestControl(true, new SortKey("cn", "caseIgnoreOrderingMatch", true));
    Control byNumber = new ServerSideSortRequestControl(true, new SortKey("uidNumber"));
    Control byNothing = new ServerSideSortRequestControl(false, new SortKey("noSuch"));
    SearchBuilder ten = search(PEOPLE).filter("(uidNumber>=10020)").attributes("uid");
    script.uncached(THREE.request().with(byName));
    script.uncached(ten.request().with(byName));
    script.uncached(ten.request().with(byNumber));
    script.refusedEither(ten.request().with(byNothing));
    script.cached(ten);
  }

  private static void assertions(Script script) {
    script.either(THREE.request().with(Controls.assertion("(objectClass=organizationalUnit)")));
    script.refusedRead(THREE.request().with(Controls.assertion("(objectClass=person)")));
    script.uncached(compare(person("staff3"), "cn", "x").with(Controls.assertion("(uid=staff3)")));
    script.refusedRead(
        compare(person("staff3"), "cn", "x").with(Controls.assertion("(uid=staff4)")));
  }

  private static void values(Script script) {
    Control alias =
        new MatchedValuesRequestControl(
            true,
            MatchedValuesFilter.createSubstringFilter("mail", null, null, "@alias.example.org"));
    script.either(THREE.request().with(alias));
    script.cached(THREE.request());
  }

  private static void deref(Script script) {
    RawRequest groups = search(GROUPS).filter("(cn=group1)").attributes("cn").request();
    Control members = new Control(DEREF, true, Controls.derefValue("member", "uid", "cn"));
    script.either(groups.with(members));
    script.cached(groups);
    script.refusedRead(
        groups.with(new Control(DEREF, true, Controls.derefValue("undefined", "uid"))));
  }

  private static void unknown(Script script) {
    script.uncached(THREE.request().with(new Control("1.2.3.4.5.6.7", false)));
    script.refusedRead(THREE.request().with(new Control("1.2.3.4.5.6.7", true)));
    script.refusedRead(
        search(SUFFIX).baseScope().request().with(new Control("1.2.840.113556.1.4.528", true)));
    script.cached(THREE.request());
  }
}
