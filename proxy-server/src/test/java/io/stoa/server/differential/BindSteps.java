// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.ALICE;
import static io.stoa.server.differential.Directory.BOB;
import static io.stoa.server.differential.Directory.MANAGER;
import static io.stoa.server.differential.Directory.PROXY;
import static io.stoa.server.differential.Directory.ROOT;
import static io.stoa.server.differential.Directory.ROOT_PASSWORD;
import static io.stoa.server.differential.Directory.SERVICE;
import static io.stoa.testing.Requests.anonymousBind;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.search;
import static io.stoa.testing.Requests.unbind;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.AuthorizationIdentityRequestControl;

/** Binds: who the connections are, and what re-binds and failed binds leave behind. */
final class BindSteps {
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  private static final String PASSWORD_POLICY = "1.3.6.1.4.1.42.2.27.8.5.1";

  private BindSteps() {}

  /** Binds one connection per identity; they serve all steps that follow. */
  static void addIdentities(Script script) {
    script.group("identities");
    script.on("anonymous").once(anonymousBind());
    script.on("alice").once(bind(ALICE, "pw-alice"));
    script.on("bob").once(bind(BOB, "pw-bob"));
    script.on("manager").once(bind(MANAGER, "pw-manager"));
    script.on("service").once(bind(SERVICE, "pw-service"));
    script.on("proxy").once(bind(PROXY, "pw-proxy"));
    script.on("root").once(bind(ROOT, ROOT_PASSWORD));
  }

  static void addTo(Script script) {
    script.group("binds").on("rebinding");
    whoAmI(script);
    whoAmI(script.once(bind(ALICE, "pw-alice")));
    whoAmI(script.once(bind(BOB, "pw-bob")));
    whoAmI(script.refused(bind(ALICE, "wrong")));
    whoAmI(script.once(bind(BOB.toUpperCase(java.util.Locale.ROOT), "pw-bob")));
    whoAmI(script.refused(bind(BOB, "")));
    whoAmI(script.once(bind(ALICE, "pw-alice")));
    whoAmI(script.once(anonymousBind()));
    whoAmI(script.once(bind(ALICE, "pw-alice").with(new Control(PASSWORD_POLICY))));
    whoAmI(script.once(bind(BOB, "pw-bob").with(new AuthorizationIdentityRequestControl(false))));
    script.once(unbind());
    script.group("end of a connection").on("short");
    script.once(bind(ALICE, "pw-alice"));
    script.once(unbind().with(new Control("2.16.840.1.113730.3.4.2")));
  }

  /** What the directory and its data say of the connection's identity. */
  private static void whoAmI(Script script) {
    script.once(extended(WHO_AM_I));
    script.cached(search(ALICE).baseScope().attributes("description"));
  }

  static void addFarewells(Script script) {
    script.group("farewells");
    for (String who :
        new String[] {"anonymous", "alice", "bob", "manager", "service", "proxy", "root"}) {
      script.on(who).once(unbind());
    }
  }
}
