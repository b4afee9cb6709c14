// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.GROUPS;
import static io.stoa.server.differential.Directory.PEOPLE;
import static io.stoa.server.differential.Directory.WORK;
import static io.stoa.server.differential.Directory.person;
import static io.stoa.testing.Requests.add;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.delete;
import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.search;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.MatchedValuesFilter;
import com.unboundid.ldap.sdk.controls.MatchedValuesRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadRequestControl;
import com.unboundid.ldap.sdk.controls.PreReadRequestControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.controls.RFC3672SubentriesRequestControl;
import io.stoa.ldap.protocol.Oids;
import io.stoa.testing.RawRequest;
import java.util.List;

/**
 * Controls of every kind beside each other, with wrong values, twice, and where they do not fit.
 */
final class MixedControlSteps {
  private static final String TOOL = "cn=mixed," + WORK;

  private static final List<Control> KNOWN =
      List.of(
          new ManageDsaITRequestControl(true),
          new RFC3672SubentriesRequestControl(false, true),
          Controls.sessionTracking("10.0.0.3"),
          Controls.assertion("(objectClass=*)"),
          new Control(Controls.DONT_USE_COPY, true),
          new Control(Controls.NO_OP, true),
          new Control("1.2.3.4.5.6.7", false));

  private MixedControlSteps() {}

  static void addTo(Script script) {
    script.group("controls beside each other").on("alice");
    RawRequest staff = search(PEOPLE).filter("(uid=staff16)").attributes("uid", "mail").request();
    for (Control first : KNOWN) {
      for (Control second : KNOWN) {
        script.either(staff.with(first, second));
      }
      script.either(compare(person("staff16"), "uid", "staff16").with(first));
    }
    values(script.group("controls with wrong values"), staff);
    matched(script.group("values that match"));
    dereferenced(script.group("references that are looked up"));
    onWrites(script.group("controls on writes").on("manager"));
  }

  /** An empty one, and two that are none; of an assertion slapd ends the connection over them. */
  private static void values(Script script, RawRequest staff) {
    List<String> oids = KNOWN.stream().map(Control::getOID).toList();
    for (String oid : oids.stream().filter(other -> !other.equals(Oids.ASSERTION)).toList()) {
      script.either(staff.with(new Control(oid, true, new ASN1OctetString(""))));
      script.either(staff.with(new Control(oid, true, new ASN1OctetString("?"))));
      script.either(staff.with(new Control(oid, false, new ASN1OctetString(new byte[] {0x30, 9}))));
    }
    script.either(staff.with(new Control("no oid", true)));
  }

  private static void matched(Script script) {
    RawRequest two =
        search(PEOPLE).filter("(|(uid=staff17)(uid=staff18))").attributes("mail", "cn").request();
    for (MatchedValuesFilter filter :
        new MatchedValuesFilter[] {
          MatchedValuesFilter.createPresentFilter("mail"),
          MatchedValuesFilter.createPresentFilter("cn;lang-de"),
          MatchedValuesFilter.createEqualityFilter("mail", "STAFF17@example.org"),
          MatchedValuesFilter.createSubstringFilter("mail", "staff18", null, null),
          MatchedValuesFilter.createGreaterOrEqualFilter("cn", "Staff"),
          MatchedValuesFilter.createEqualityFilter("noSuch", "x")
        }) {
      script.either(two.with(new MatchedValuesRequestControl(true, filter)));
      script.either(two.with(new MatchedValuesRequestControl(false, filter)));
      script.either(two);
    }
  }

  private static void dereferenced(Script script) {
    RawRequest groups = search(GROUPS).filter("(cn=group3)").attributes("cn").request();
    for (String[] wanted :
        new String[][] {{"uid"}, {"UID"}, {"mail", "cn"}, {"description"}, {"*"}, {"noSuch"}}) {
      for (boolean critical : new boolean[] {true, false}) {
        ASN1OctetString value = Controls.derefValue("member", wanted);
        script.either(groups.with(new Control(Controls.DEREF, critical, value)));
      }
    }
  }

  private static void onWrites(Script script) {
    RawRequest add = add(TOOL, "objectClass: device", "cn: mixed", "description: one");
    RawRequest look = search(TOOL).baseScope().attributes("cn", "description").request();
    Control read = new PostReadRequestControl(true, "cn", "DESCRIPTION");
    Control before = new PreReadRequestControl(false, "description");
    script.once(add.with(read));
    for (Control control : KNOWN) {
      script.once(replace(TOOL, "description", "by " + control.getOID()).with(control));
      script.either(look);
      script.once(replace(TOOL, "description", "with " + control.getOID()).with(before, control));
      script.either(look);
      script.once(add.with(control));
    }
    Control asBob = new ProxiedAuthorizationV2RequestControl("dn:" + Directory.BOB);
    script.once(replace(TOOL, "description", "x").with(asBob)).either(look);
    script.once(delete(TOOL).with(read)).either(look);
    script.once(delete(TOOL).with(before)).either(look);
  }
}
