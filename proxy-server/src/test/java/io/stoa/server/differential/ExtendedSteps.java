// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.ALICE;
import static io.stoa.server.differential.Directory.BOB;
import static io.stoa.server.differential.Directory.PEOPLE;
import static io.stoa.testing.Requests.abandon;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.search;

import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.extensions.CancelExtendedRequest;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import io.stoa.testing.RawRequest;

/** Extended operations, and Abandon. */
final class ExtendedSteps {
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  private static final int NEVER_USED = 77_777;

  private ExtendedSteps() {}

  static void addTo(Script script) {
    script.group("who am I");
    for (String who : new String[] {"anonymous", "alice", "bob", "root"}) {
      script.on(who).once(extended(WHO_AM_I));
    }
    passwordModify(script.group("password modify"));
    cancel(script.group("cancel").on("alice"));
    abandons(script.group("abandon"));
    unknown(script.group("unknown extended operations").on("unknown"));
  }

  private static void passwordModify(Script script) {
    script.on("bob");
    script.refused(change(new PasswordModifyExtendedRequest("wrong", "new")));
    script.once(change(new PasswordModifyExtendedRequest("pw-bob", "second")));
    script.on("changing").refused(bind(BOB, "pw-bob"));
    script.once(bind(BOB, "second"));
    script.once(change(new PasswordModifyExtendedRequest(BOB, "second", "pw-bob")));
    script.once(bind(BOB, "pw-bob"));
    script.on("manager");
    script.once(change(new PasswordModifyExtendedRequest(ALICE, null, "third")));
    script.once(change(new PasswordModifyExtendedRequest(ALICE, null, "pw-alice")));
    script.refused(change(new PasswordModifyExtendedRequest("no name", null, "x")));
    script.refused(change(new PasswordModifyExtendedRequest("cn=x,dc=unknown", null, "x")));
    script.on("anonymous");
    script.refused(change(new PasswordModifyExtendedRequest(ALICE, null, "stolen")));
  }

  private static RawRequest change(ExtendedRequest request) {
    return extended(request.getOID(), request.getValue().getValue());
  }

  private static void cancel(Script script) {
    CancelExtendedRequest cancel = new CancelExtendedRequest(NEVER_USED);
    script.refused(extended(cancel.getOID(), cancel.getValue().getValue()));
  }

  private static void abandons(Script script) {
    script.once(abandon(NEVER_USED));
    script.cached(search(PEOPLE).filter("(uid=staff11)"));
    script.once(abandon(0));
    script.cached(search(PEOPLE).filter("(uid=staff12)"));
  }

  /** What such an operation leaves on a connection is unknown: nothing is cached for a while. */
  private static void unknown(Script script) {
    script.once(bind(BOB, "pw-bob"));
    script.cached(search(PEOPLE).filter("(uid=staff13)"));
    script.refused(extended("1.2.3.4.5.6.7.8"));
    script.cached(search(PEOPLE).filter("(uid=staff13)"));
    script.once(extended(WHO_AM_I));
    script.once(bind(BOB, "pw-bob"));
    script.cached(search(PEOPLE).filter("(uid=staff13)"));
  }
}
