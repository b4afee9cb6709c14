// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static com.unboundid.ldap.sdk.ModificationType.ADD;
import static com.unboundid.ldap.sdk.ModificationType.DELETE;
import static com.unboundid.ldap.sdk.ModificationType.INCREMENT;
import static com.unboundid.ldap.sdk.ModificationType.REPLACE;
import static io.stoa.server.matrix.Identities.as;
import static io.stoa.server.matrix.Identities.asManager;
import static io.stoa.testing.Requests.add;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.delete;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.modify;
import static io.stoa.testing.Requests.move;
import static io.stoa.testing.Requests.rename;
import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.search;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import io.stoa.ldap.protocol.Oids;
import io.stoa.server.differential.Script;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Tlv;
import java.util.stream.Stream;

/** Writes, and after each of them reads whose answers it changed. */
final class WriteRows {
  private static final String INCREMENT_FEATURE = "1.3.6.1.1.14";

  private WriteRows() {}

  static Stream<Row> rows() {
    return Stream.of(
        Row.always("RFC 4511, 4.7", "add", WriteRows::adds),
        Row.always("RFC 4511, 4.6", "modify", WriteRows::modifies),
        Row.listed(INCREMENT_FEATURE, "RFC 4525", "modify-increment", WriteRows::increments),
        Row.always("RFC 4511, 4.8", "delete", WriteRows::deletes),
        Row.always("RFC 4511, 4.9", "rename, move", WriteRows::renames),
        Row.always("no specification", "memberOf", WriteRows::members),
        Row.always("RFC 4512, 3.4", "creatorsName, modifiersName", WriteRows::authors),
        Row.always("RFC 4511, 4.6 to 4.9", "writes without access rights", WriteRows::withoutRight),
        Row.listed(Oids.PASSWORD_MODIFY, "RFC 3062", "password modify", WriteRows::passwords),
        Row.always("RFC 4511, 4.6", "password by modify", WriteRows::passwordByModify)
            .onlyOn(server -> !server.activeDirectory()),
        Row.listed(Oids.DYNAMIC_REFRESH, "RFC 2589", "dynamic entries", WriteRows::dynamic)
            .or(RootDse::openLdap));
  }

  /** The reads that are repeated after each write, by somebody else. */
  private static void addReads(Script script, Names names) {
    script.on("alice").either(names.written().request());
    script.either(search(names.work()).attributes("1.1").request());
    script.on("manager");
  }

  private static void begin(Script script, Names names) {
    as("alice", script, names);
    asManager(script, names);
    addReads(script, names);
  }

  private static void adds(Script script, Names names) {
    begin(script, names);
    script.either(search(names.entry("new")).baseScope().request());
    script.once(names.addEntry("new", "description: one"));
    addReads(script, names);
    script.once(names.addEntry("new"));
    script.once(names.addEntry("bad", "undefinedAttribute: x"));
    script.once(names.addEntry("bad", "cn: bad"));
    script.once(add("cn=x,cn=nothing," + names.work(), "objectClass: " + names.plainClass()));
    script.once(add("no name", "objectClass: " + names.plainClass()));
    script.once(add("cn=x,dc=unknown", "objectClass: " + names.plainClass(), "cn: x"));
    addReads(script, names);
    script.once(delete(names.entry("new")));
    addReads(script, names);
  }

  private static void modifies(Script script, Names names) {
    String dn = names.entry("changed");
    String alice = names.person("alice");
    begin(script, names);
    script.once(names.addEntry("changed", "description: one"));
    for (Modification change :
        new Modification[] {
          new Modification(REPLACE, "description", "two"),
          new Modification(ADD, "seeAlso", alice, names.person("bob")),
          new Modification(DELETE, "seeAlso", alice),
          new Modification(DELETE, "description"),
          new Modification(DELETE, "description"),
          new Modification(ADD, "seeAlso", names.person("bob")),
          new Modification(ADD, "seeAlso", "no name"),
          new Modification(ADD, "undefinedAttribute", "x"),
          new Modification(DELETE, "cn"),
          new Modification(REPLACE, "objectClass", "noSuchClass")
        }) {
      script.once(modify(dn, change));
      addReads(script, names);
    }
    script.once(
        modify(
            dn,
            new Modification(REPLACE, "description", "three"),
            new Modification(ADD, "undefinedAttribute", "x")));
    addReads(script, names);
    script.once(modify(names.entry("nothing"), new Modification(REPLACE, "description", "x")));
    script.once(delete(dn));
    addReads(script, names);
  }

  private static void increments(Script script, Names names) {
    String dn = names.person("staff7");
    begin(script, names);
    var number = search(dn).baseScope().attributes("uidNumber").request();
    for (String by : new String[] {"5", "-5", "x"}) {
      script.either(number);
      script.once(modify(dn, new Modification(INCREMENT, "uidNumber", by)));
      script.either(number);
    }
    script.once(modify(dn, new Modification(INCREMENT, "sn", "1")));
  }

  private static void deletes(Script script, Names names) {
    begin(script, names);
    script.once(names.addEntry("gone"));
    addReads(script, names);
    script.once(delete(names.entry("gone")));
    addReads(script, names);
    script.once(delete(names.entry("gone")));
    script.once(delete(names.work()));
    script.once(delete("no name"));
    script.once(delete(""));
  }

  private static void renames(Script script, Names names) {
    begin(script, names);
    script.once(names.addEntry("first", "description: moved"));
    script.once(add("ou=inner," + names.work(), "objectClass: organizationalUnit", "ou: inner"));
    addReads(script, names);
    script.once(rename(names.entry("first"), "cn=second", true));
    addReads(script, names);
    script.once(move(names.entry("second"), "cn=second", "ou=inner," + names.work()));
    addReads(script, names);
    script.once(rename("ou=inner," + names.work(), "ou=outer", true));
    addReads(script, names);
    script.either(search("cn=second,ou=inner," + names.work()).baseScope().request());
    script.once(rename("cn=second,ou=outer," + names.work(), "no name", true));
    script.once(move("cn=second,ou=outer," + names.work(), "cn=second", "ou=none," + names.work()));
    script.once(rename(names.entry("nothing"), "cn=x", true));
    script.once(delete("cn=second,ou=outer," + names.work()));
    script.once(delete("ou=outer," + names.work()));
    addReads(script, names);
  }

  /** A write to a group changes its members. */
  private static void members(Script script, Names names) {
    String group = names.entry("members");
    String alice = names.person("alice");
    RawRequest look = search(alice).baseScope().attributes("memberOf").request();
    as("bob", script, names).either(look);
    asManager(script, names);
    script.once(
        add(group, "objectClass: " + names.groupClass(), "cn: members", "member: " + alice));
    script.on("bob").either(look);
    script.on("manager").once(rename(group, "cn=members2", true));
    script.on("bob").either(look);
    script.on("manager").once(delete(names.entry("members2")));
    script.on("bob").either(look);
  }

  private static void authors(Script script, Names names) {
    String dn = names.entry("written");
    script.documented(Difference.AUTHOR.name());
    asManager(script, names).once(names.addEntry("written"));
    RawRequest authors = search(dn).attributes("creatorsName", "modifiersName").request();
    script.either(authors);
    script.once(replace(dn, "description", "changed")).either(authors);
    script.once(delete(dn));
  }

  private static void withoutRight(Script script, Names names) {
    as("bob", script, names);
    script.once(replace(names.person("staff3"), "description", "changed"));
    script.once(delete(names.person("staff3")));
    script.once(rename(names.person("staff3"), names.login() + "=x", true));
    script.once(
        add(names.login() + "=x," + names.people(), "objectClass: person", "cn: x", "sn: x"));
    script.on("anonymous").once(delete(names.person("staff3")));
    script.either(names.find("staff3").request());
  }

  private static void passwords(Script script, Names names) {
    as("alice", script, names);
    script.once(change(new PasswordModifyExtendedRequest("wrong", "second")));
    script.once(change(new PasswordModifyExtendedRequest("pw-alice", "second")));
    script.either(names.find("staff3").request());
    script.on("client").once(bind(names.person("alice"), "pw-alice"));
    script.once(bind(names.person("alice"), "second"));
    asManager(script, names);
    script.once(change(new PasswordModifyExtendedRequest(names.person("alice"), null, "pw-alice")));
    script.once(change(new PasswordModifyExtendedRequest("no name", null, "x")));
    script.on("client").once(bind(names.person("alice"), "pw-alice"));
    script.on("anonymous");
    script.once(change(new PasswordModifyExtendedRequest(names.person("alice"), null, "stolen")));
    script.once(extended(Oids.PASSWORD_MODIFY, new byte[] {0x30, 0x7f}));
  }

  private static RawRequest change(ExtendedRequest request) {
    return extended(request.getOID(), request.getValue().getValue());
  }

  private static void passwordByModify(Script script, Names names) {
    String bob = names.person("bob");
    as("bob", script, names).once(replace(bob, "userPassword", "second"));
    script.on("client").once(bind(bob, "pw-bob"));
    script.once(bind(bob, "second"));
    asManager(script, names).once(replace(bob, "userPassword", "pw-bob"));
    script.on("client").once(bind(bob, "pw-bob"));
    script.on("bob").either(names.find("staff3").request());
  }

  private static void dynamic(Script script, Names names) {
    String dn = names.entry("session");
    begin(script, names);
    script.once(
        add(dn, "objectClass: " + names.plainClass(), "objectClass: dynamicObject", "cn: session"));
    addReads(script, names);
    script.once(refresh(dn, 3600));
    addReads(script, names);
    script.once(refresh(names.entry("nothing"), 3600));
    script.once(delete(dn));
    addReads(script, names);
  }

  private static RawRequest refresh(String dn, int seconds) {
    byte[] name = Tlv.of(0x80, dn.getBytes(UTF_8));
    byte[] value = Tlv.of(0x30, name, Tlv.integer(0x81, seconds));
    return extended(Oids.DYNAMIC_REFRESH, value);
  }
}
