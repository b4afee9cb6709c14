// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static io.stoa.server.matrix.Identities.as;
import static io.stoa.server.matrix.Identities.asManager;
import static io.stoa.testing.Requests.add;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.delete;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.modify;
import static io.stoa.testing.Requests.move;
import static io.stoa.testing.Requests.rename;
import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.search;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.controls.MatchedValuesFilter;
import com.unboundid.ldap.sdk.controls.MatchedValuesRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadRequestControl;
import com.unboundid.ldap.sdk.controls.PreReadRequestControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV1RequestControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import io.stoa.ldap.protocol.Oids;
import io.stoa.server.differential.Controls;
import io.stoa.server.differential.Directory;
import io.stoa.server.differential.Script;
import io.stoa.testing.RawRequest;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** Controls that concern their own request only. */
final class ControlRows {
  private static final String ACCOUNT_USABLE = "1.3.6.1.4.1.42.2.27.9.5.8";
  private static final String REAL_ATTRIBUTES = "2.16.840.1.113730.3.4.17";
  private static final String VIRTUAL_ATTRIBUTES = "2.16.840.1.113730.3.4.19";
  private static final String PASSWORD_EXPIRING = "2.16.840.1.113730.3.4.5";

  private ControlRows() {}

  static Stream<Row> rows() {
    return Stream.of(
        Row.listed(Oids.PRE_READ, "RFC 4527", "pre-read, post-read", ControlRows::readEntry)
            .also(Oids.POST_READ),
        Row.listed(Oids.ASSERTION, "RFC 4528", "assertion", ControlRows::assertions),
        Row.listed(Oids.MATCHED_VALUES, "RFC 3876", "matched values", ControlRows::matchedValues),
        Row.listed(
            Oids.PROXIED_AUTHZ_V2, "RFC 4370", "proxied authorization", ControlRows::proxied),
        Row.listed(
            Oids.PROXIED_AUTHZ_V1,
            "draft-weltman-ldapv3-proxy-04",
            "proxied authorization, version 1",
            ControlRows::proxiedV1),
        Row.listed(Oids.DONT_USE_COPY, "RFC 6171", "don't use copy", ControlRows::dontUseCopy),
        Row.listed(
                Oids.PASSWORD_POLICY,
                "draft-behera-ldap-password-policy",
                "password policy",
                ControlRows::passwordPolicy)
            .also(Oids.PWD_EXPIRED, PASSWORD_EXPIRING),
        Row.listed(
            Oids.DEREF, "draft-masarati-ldap-deref", "dereference", ControlRows::dereference),
        Row.listed(
            Oids.EFFECTIVE_RIGHTS,
            "draft-ietf-ldapext-acl-model",
            "effective rights",
            ControlRows::effectiveRights),
        Row.listed(ACCOUNT_USABLE, "no specification", "account usable", ControlRows::usable),
        Row.listed(
            REAL_ATTRIBUTES, "no specification", "real attributes only", plain(REAL_ATTRIBUTES)),
        Row.listed(
            VIRTUAL_ATTRIBUTES,
            "no specification",
            "virtual attributes only",
            plain(VIRTUAL_ATTRIBUTES)),
        Row.listed(Oids.NO_OP, "draft-zeilenga-ldap-noop", "no-op", ControlRows::noOp)
            .or(RootDse::openLdap),
        Row.listed(Oids.RELAX, "draft-zeilenga-ldap-relax", "relax rules", ControlRows::relax)
            .or(RootDse::openLdap),
        Row.listed(
            Oids.TREE_DELETE,
            "draft-armijo-ldap-treedelete",
            "tree delete",
            ControlRows::treeDelete),
        Row.listed(
                Oids.PERMISSIVE_MODIFY,
                "MS-ADTS, 3.1.1.3.4.1.8",
                "permissive modify",
                ControlRows::permissive)
            .or(RootDse::openLdap),
        Row.listed(
                Oids.LAZY_COMMIT, "MS-ADTS, 3.1.1.3.4.1.7", "lazy commit", ControlRows::lazyCommit)
            .or(RootDse::openLdap),
        Row.always("draft-wahl-ldap-session", "session tracking", ControlRows::sessionTracking));
  }

  private static void addReads(Script script, Names names) {
    script.either(names.written().request());
  }

  private static void readEntry(Script script, Names names) {
    String dn = names.entry("read");
    Control before = new PreReadRequestControl(true, "*", "+");
    Control after = new PostReadRequestControl(true, "cn", "description", "entryUUID");
    asManager(script, names);
    script.once(names.addEntry("read", "description: one").with(after));
    addReads(script, names);
    script.once(replace(dn, "description", "two").with(before, after));
    addReads(script, names);
    script.once(rename(dn, "cn=read2", true).with(before, after));
    script.once(replace(dn, "description", "x").with(before));
    script.once(delete(names.entry("read2")).with(before));
    addReads(script, names);
  }

  private static void assertions(Script script, Names names) {
    String dn = names.entry("asserted");
    asManager(script, names).once(names.addEntry("asserted", "description: one"));
    for (String filter :
        new String[] {"(description=other)", "(description=one)", "(undefined=x)"}) {
      Control assertion = Controls.assertion(filter);
      script.either(search(dn).baseScope().request().with(assertion));
      script.either(compare(dn, "cn", "asserted").with(assertion));
      script.once(replace(dn, "description", "one").with(assertion));
      addReads(script, names);
    }
    script.once(delete(dn).with(Controls.assertion("(description=other)")));
    script.once(delete(dn).with(Controls.assertion("(description=one)")));
    addReads(script, names);
  }

  private static void matchedValues(Script script, Names names) {
    as("alice", script, names);
    Control some =
        new MatchedValuesRequestControl(
            true,
            MatchedValuesFilter.createSubstringFilter("mail", null, null, "@alias.example.org"));
    for (int i = 0; i < 2; i++) {
      script.either(names.find("staff3").request().with(some));
      script.either(names.find("staff3").request());
    }
  }

  private static void proxied(Script script, Names names) {
    as("proxy", script, names);
    for (String who :
        new String[] {"dn:" + names.person("alice"), "dn:" + names.person("bob"), ""}) {
      Control as = new ProxiedAuthorizationV2RequestControl(who);
      script.either(names.find("alice").attributes("description").request().with(as));
      script.either(names.find("alice").attributes("description").request());
      script.once(extended(Oids.WHO_AM_I).with(as));
    }
    Control asManager = new ProxiedAuthorizationV2RequestControl("dn:" + names.manager());
    Control asNobody = new ProxiedAuthorizationV2RequestControl("dn:" + names.person("nobody"));
    Control asAlice = new ProxiedAuthorizationV2RequestControl("dn:" + names.person("alice"));
    Control notCritical = new Control(asAlice.getOID(), false, asAlice.getValue());
    for (Control control : new Control[] {asManager, asNobody, notCritical}) {
      script.either(names.find("alice").attributes("description").request().with(control));
      script.once(names.addEntry("proxied").with(control));
      script.on("manager");
      script.once(bind(names.manager(), names.managerPassword()));
      script.once(delete(names.entry("proxied")));
      script.on("proxy");
    }
    as("bob", script, names);
    script.either(names.find("alice").attributes("description").request().with(asAlice));
    script.once(replace(names.person("alice"), "title", "stolen").with(asAlice));
    script.on("anonymous").either(names.find("alice").request().with(asAlice));
  }

  private static void proxiedV1(Script script, Names names) {
    Control asAlice = new ProxiedAuthorizationV1RequestControl(names.person("alice"));
    RawRequest find = names.find("alice").attributes("description").request();
    as("proxy", script, names).either(find.with(asAlice)).either(find);
    as("bob", script, names).either(find.with(asAlice)).either(find);
  }

  private static void dontUseCopy(Script script, Names names) {
    as("alice", script, names);
    for (boolean critical : new boolean[] {true, false}) {
      Control control = new Control(Oids.DONT_USE_COPY, critical);
      script.either(names.find("staff3").request());
      script.uncached(names.find("staff3").request().with(control));
      script.uncached(compare(names.person("staff3"), "mail", "x").with(control));
    }
    script.once(
        replace(names.person("alice"), "title", "x").with(new Control(Oids.DONT_USE_COPY, true)));
  }

  private static void passwordPolicy(Script script, Names names) {
    Control policy = Controls.PASSWORD_POLICY;
    String victim = names.person("victim");
    script.on("client");
    script.once(bind(names.person("alice"), "pw-alice").with(policy));
    script.either(names.find("staff3").request().with(policy));
    script.once(bind(names.person("alice"), "wrong").with(policy));
    script.once(bind(names.person("alice"), "pw-alice"));
    for (int i = 0; i < 4; i++) {
      script.once(bind(victim, "wrong").with(policy));
    }
    script.once(bind(victim, "pw-victim").with(policy));
    script.once(bind(victim, "pw-victim"));
    script.once(bind(names.person("reset"), "pw-reset").with(policy));
    script.either(names.find("staff3").request().with(policy));
    script.either(names.find("staff3").request());
    as("bob", script, names);
    script.once(replace(names.person("bob"), "title", "x").with(policy));
    script.once(replace(names.person("bob"), "title").with(policy));
  }

  private static void dereference(Script script, Names names) {
    RawRequest group = search(names.group(1)).baseScope().attributes("cn").request();
    Control members = new Control(Oids.DEREF, true, Controls.derefValue("member", "uid", "cn"));
    Control unknown = new Control(Oids.DEREF, true, Controls.derefValue("undefined", "uid"));
    as("alice", script, names);
    script.either(group.with(members)).either(group).either(group.with(unknown));
    as("bob", script, names).either(group.with(members));
    script.on("anonymous").either(group.with(members));
  }

  private static void effectiveRights(Script script, Names names) {
    byte[] subject = ("dn: " + names.person("bob")).getBytes(UTF_8);
    Control rights = new Control(Oids.EFFECTIVE_RIGHTS, true, new ASN1OctetString(subject));
    RawRequest find = names.find("bob").attributes("cn", "description").request();
    asManager(script, names).either(find.with(rights)).either(find);
    as("alice", script, names).either(find.with(rights)).either(find);
  }

  private static void usable(Script script, Names names) {
    RawRequest find = names.find("bob").request();
    Control control = new Control(ACCOUNT_USABLE, false);
    asManager(script, names).either(find.with(control)).either(find);
    as("alice", script, names).either(find.with(control)).either(find);
  }

  /** A control without a value, on a search. */
  private static BiConsumer<Script, Names> plain(String oid) {
    return (script, names) -> {
      RawRequest find = names.find("staff3").attributes("*", "memberOf").request();
      as("alice", script, names);
      for (int i = 0; i < 2; i++) {
        script.either(find.with(new Control(oid, true))).either(find);
      }
    };
  }

  private static void noOp(Script script, Names names) {
    Control control = new Control(Oids.NO_OP, true);
    asManager(script, names);
    addReads(script, names);
    script.once(names.addEntry("nothing").with(control));
    script.once(replace(Directory.WORK, "description", "x").with(control));
    script.once(delete(names.work()).with(control));
    script.once(names.addEntry("nothing").with(new Control(Oids.NO_OP, false)));
    addReads(script, names);
  }

  private static void relax(Script script, Names names) {
    Control control = new Control(Oids.RELAX, true);
    asManager(script, names).once(names.addEntry("relaxed"));
    String uuid = "11111111-1111-1111-1111-111111111111";
    script.once(replace(names.entry("relaxed"), "entryUUID", uuid));
    script.once(replace(names.entry("relaxed"), "entryUUID", uuid).with(control));
    addReads(script, names);
    script.once(delete(names.entry("relaxed")));
  }

  private static void treeDelete(Script script, Names names) {
    Control control = new Control(Oids.TREE_DELETE, true);
    asManager(script, names).once(names.addEntry("leaf"));
    script.once(add("ou=tree," + names.work(), "objectClass: organizationalUnit", "ou: tree"));
    script.once(move(names.entry("leaf"), "cn=leaf", "ou=tree," + names.work()));
    addReads(script, names);
    script.once(delete("ou=tree," + names.work()));
    script.once(delete("ou=tree," + names.work()).with(control));
    addReads(script, names);
    script.either(search("cn=leaf,ou=tree," + names.work()).baseScope().request());
    script.once(delete("ou=tree," + names.work()).with(control));
  }

  private static void permissive(Script script, Names names) {
    Control control = new Control(Oids.PERMISSIVE_MODIFY, true);
    String dn = names.entry("permissive");
    asManager(script, names).once(names.addEntry("permissive", "description: one"));
    addReads(script, names);
    var again = new Modification(ModificationType.ADD, "description", "one");
    script.once(modify(dn, again));
    script.once(modify(dn, again).with(control));
    addReads(script, names);
    script.once(delete(dn));
  }

  private static void lazyCommit(Script script, Names names) {
    Control control = new Control(Oids.LAZY_COMMIT, true);
    asManager(script, names).once(names.addEntry("lazy").with(control));
    addReads(script, names);
    script.once(replace(names.entry("lazy"), "description", "one").with(control));
    addReads(script, names);
    script.once(delete(names.entry("lazy")).with(control));
    addReads(script, names);
  }

  private static void sessionTracking(Script script, Names names) {
    as("alice", script, names);
    for (String address : new String[] {"10.0.0.1", "10.0.0.2"}) {
      script.either(names.find("staff3").request().with(Controls.sessionTracking(address)));
    }
    asManager(script, names);
    script.once(names.addEntry("tracked").with(Controls.sessionTracking("10.0.0.1")));
    addReads(script, names);
    script.once(delete(names.entry("tracked")).with(Controls.sessionTracking("10.0.0.1")));
    addReads(script, names);
  }
}
