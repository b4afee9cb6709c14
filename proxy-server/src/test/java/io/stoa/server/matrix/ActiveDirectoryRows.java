// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static io.stoa.server.matrix.Identities.as;
import static io.stoa.server.matrix.Identities.asManager;
import static io.stoa.testing.Requests.delete;
import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.search;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import io.stoa.ldap.protocol.Oids;
import io.stoa.server.differential.Controls;
import io.stoa.server.differential.Script;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Tlv;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** Controls and habits of Active Directory. */
final class ActiveDirectoryRows {
  private static final String PREFIX = "1.2.840.113556.1.4.";
  private static final String EXTENDED_DN = PREFIX + "529";
  private static final String SD_FLAGS = PREFIX + "801";
  private static final String SHOW_DELETED = PREFIX + "417";
  private static final String SHOW_RECYCLED = PREFIX + "2064";
  private static final String DOMAIN_SCOPE = PREFIX + "1339";
  private static final String SEARCH_OPTIONS = PREFIX + "1340";
  private static final String SCOPED_QUERY = PREFIX + "1504";
  private static final String VERIFY_NAME = PREFIX + "1338";
  private static final String READ_ONLY_JOIN = PREFIX + "1341";

  /** An unknown one, critical: Stoa sends the request behind the watch, where it is refused. */
  private static final String BEHIND = "1.2.3.4.5.6.7";

  private ActiveDirectoryRows() {}

  static Stream<Row> rows() {
    return Stream.of(
        habit("MS-ADTS, 3.1.1.3.1.3", "references from the top", ActiveDirectoryRows::references),
        habit("MS-ADTS, 3.1.1.3.1.3.3", "ranges of values", ActiveDirectoryRows::ranges),
        habit(
            "MS-ADTS, 3.1.1.3.1.2.4",
            "names by SID and well-known GUID",
            ActiveDirectoryRows::otherNames),
        habit("MS-ADTS, 3.1.1.3.4.4", "bitwise and chain matching", ActiveDirectoryRows::matching),
        habit("MS-ADTS, 3.1.1.3.1.5", "password by modify", ActiveDirectoryRows::password),
        control(EXTENDED_DN, "3.1.1.3.4.1.5", "extended DN", flags(0, 1)),
        control(SD_FLAGS, "3.1.1.3.4.1.11", "security descriptor flags", flags(1, 7)),
        control(SHOW_DELETED, "3.1.1.3.4.1.14", "show deleted", ActiveDirectoryRows::deleted),
        control(SHOW_RECYCLED, "3.1.1.3.4.1.29", "show recycled", plain(SHOW_RECYCLED)),
        control(DOMAIN_SCOPE, "3.1.1.3.4.1.4", "domain scope", plain(DOMAIN_SCOPE)),
        control(
            SEARCH_OPTIONS, "3.1.1.3.4.1.12", "search options", ActiveDirectoryRows::searchOptions),
        control(
            SCOPED_QUERY, "3.1.1.3.4.1.18", "attribute scoped query", ActiveDirectoryRows::scoped),
        control(VERIFY_NAME, "3.1.1.3.4.1.16", "verify name", plain(VERIFY_NAME)),
        control(READ_ONLY_JOIN, "3.1.1.3.4.1.23", "RODC DC promotion", plain(READ_ONLY_JOIN)),
        control(Oids.DIRSYNC, "3.1.1.3.4.1.3", "DirSync", ActiveDirectoryRows::dirSync),
        control(
            Oids.AD_NOTIFICATION,
            "3.1.1.3.4.1.9",
            "notification",
            ActiveDirectoryRows::notification));
  }

  private static Row habit(String where, String subject, BiConsumer<Script, Names> steps) {
    return Row.always(where, subject, steps).onlyOn(RootDse::activeDirectory);
  }

  private static Row control(
      String oid, String section, String subject, BiConsumer<Script, Names> steps) {
    return Row.listed(oid, "MS-ADTS, " + section, subject, steps);
  }

  private static void references(Script script, Names names) {
    as("alice", script, names);
    script.either(search(names.suffix()).filter("(cn=staff3)").attributes("cn").request());
    script.either(search(names.suffix()).oneLevel().filter("(ou=*)").attributes("ou").request());
    script.either(
        search("CN=Configuration," + names.suffix()).oneLevel().attributes("cn").request());
    script.either(search("").filter("(cn=staff3)").attributes("cn").request());
  }

  private static void ranges(Script script, Names names) {
    as("alice", script, names);
    for (String range : new String[] {"0-4", "5-9", "25-*", "0-*", "0-1499", "99-*", "x"}) {
      script.either(
          search(names.group(0)).baseScope().attributes("member;range=" + range).request());
    }
    script.either(search(names.group(0)).baseScope().attributes("member").request());
  }

  private static void otherNames(Script script, Names names) {
    as("alice", script, names);
    String computers = "<WKGUID=aa312825768811d1aded00c04fd8d5cd," + names.suffix() + ">";
    for (String name : new String[] {"<SID=S-1-5-32-544>", computers, "<GUID=x>"}) {
      script.either(search(name).baseScope().attributes("cn").request());
    }
  }

  private static void matching(Script script, Names names) {
    as("alice", script, names);
    for (String filter :
        new String[] {
          "(userAccountControl:1.2.840.113556.1.4.803:=512)",
          "(userAccountControl:1.2.840.113556.1.4.804:=2)",
          "(memberOf:1.2.840.113556.1.4.1941:=" + names.group(0) + ")",
          "(sAMAccountName=staff3)",
          "(anr=staff3)",
          "(objectCategory=person)",
          "(objectSid=S-1-5-32-544)"
        }) {
      script.either(search(names.people()).filter(filter).attributes("cn").request());
    }
  }

  private static void password(Script script, Names names) {
    asManager(script, names);
    script.once(replace(names.person("staff9"), "unicodePwd", "\"unquoted as octets\""));
    script.once(replace(names.person("staff9"), "userPassword", "another"));
  }

  /** A control whose value is a sequence with one number. */
  private static BiConsumer<Script, Names> flags(int... values) {
    return (script, names) -> {
      as("alice", script, names);
      for (int value : values) {
        byte[] encoded = Tlv.of(0x30, Tlv.integer(0x02, value));
        String oid = values[0] == 0 ? EXTENDED_DN : SD_FLAGS;
        Control control = new Control(oid, true, new ASN1OctetString(encoded));
        RawRequest find =
            names.find("staff3").attributes("cn", "memberOf", "nTSecurityDescriptor").request();
        script.either(find.with(control)).either(find);
      }
    };
  }

  private static void searchOptions(Script script, Names names) {
    as("alice", script, names);
    RawRequest find = search(names.suffix()).filter("(cn=staff3)").attributes("cn").request();
    for (int value : new int[] {1, 2}) {
      byte[] encoded = Tlv.of(0x30, Tlv.integer(0x02, value));
      Control control = new Control(SEARCH_OPTIONS, true, new ASN1OctetString(encoded));
      script.either(find.with(control)).either(find);
    }
  }

  /** A control without a value. */
  private static BiConsumer<Script, Names> plain(String oid) {
    return (script, names) -> {
      as("alice", script, names);
      RawRequest find = search(names.suffix()).filter("(cn=staff3)").attributes("cn").request();
      script.either(find.with(new Control(oid, true))).either(find);
      script.either(find.with(new Control(oid, false))).either(find);
    };
  }

  /**
   * What is deleted keeps the identifier that it had in the template, and gets its name from it.
   */
  private static void deleted(Script script, Names names) {
    asManager(script, names).once(delete(names.person("staff29")));
    RawRequest all =
        search(names.suffix())
            .filter("(&(isDeleted=TRUE)(sAMAccountName=staff29))")
            .attributes("isDeleted")
            .request();
    script.either(all).either(all.with(new Control(SHOW_DELETED, true))).either(all);
  }

  private static void scoped(Script script, Names names) {
    byte[] encoded = Tlv.of(0x30, Tlv.of(0x04, "member".getBytes(UTF_8)));
    Control control = new Control(SCOPED_QUERY, true, new ASN1OctetString(encoded));
    RawRequest group = search(names.group(1)).baseScope().attributes("cn").request();
    as("alice", script, names).either(group.with(control)).either(group);
  }

  private static void dirSync(Script script, Names names) {
    asManager(script, names);
    RawRequest changes =
        search(names.suffix()).filter("(cn=staff3)").attributes("cn", "mail").request();
    script.once(changes.with(dirSync(new byte[0])));
    script.follow(previous -> changes.with(dirSync(Controls.dirSyncCookie(previous))));
    as("alice", script, names).once(changes.with(dirSync(new byte[0])));
    script.either(changes);
  }

  private static Control dirSync(byte[] cookie) {
    byte[] value =
        Tlv.of(0x30, Tlv.integer(0x02, 0), Tlv.integer(0x02, 100_000), Tlv.of(0x04, cookie));
    return new Control(Oids.DIRSYNC, true, new ASN1OctetString(value));
  }

  private static void notification(Script script, Names names) {
    asManager(script, names);
    RawRequest work =
        search(names.work()).oneLevel().filter("(objectClass=*)").attributes("cn").request();
    Control control = new Control(Oids.AD_NOTIFICATION, true);
    as("alice", script, names).move(talk -> talk.send("watch", work.with(control)));
    script.once(names.find("staff3").request().with(new Control(BEHIND, true)));
    script.on("manager").once(names.addEntry("noticed"));
    script.on("alice").move(talk -> talk.receive("watch", 1));
    script.move(talk -> talk.abandon("watch"));
    script.either(names.find("staff3").request());
    script.on("manager").once(delete(names.entry("noticed")));
    script.on("alice").either(names.find("staff4").request());
    script.move(talk -> talk.rest("watch"));
  }
}
