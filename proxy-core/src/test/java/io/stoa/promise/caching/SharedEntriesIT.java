// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.caching;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.RFC3672SubentriesRequestControl;
import io.stoa.testing.Await;
import io.stoa.testing.Ds389;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.Ldif;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.Soak;
import io.stoa.testing.TripleReads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An entry that is stored for one request appears in the answer to another one only if the
 * directory shows it alike to both: with the overlays of slapd and the plugins of 389-ds that
 * compute, and with backends of slapd that ask another server.
 */
@Tag("soak")
class SharedEntriesIT {
  private static final String[][] LISTS = {
    {},
    {"*"},
    {"+"},
    {"*", "+"},
    {"1.1"},
    {"cn"},
    {"member"},
    {"memberOf"},
    {"cn", "member"},
    {"*", "memberOf"},
    {"cn", "objectClass"},
    {"name"},
    {"+", "createTimestamp"},
    {"entryUUID", "createTimestamp"},
    {"l"},
    {"description", "l"}
  };

  /** An operational attribute of slapd, to a slapd without the overlay a user attribute. */
  private static final String MEMBER_OF =
      "attributetype ( 1.2.840.113556.1.2.102 NAME 'memberOf' EQUALITY distinguishedNameMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.12 )";

  private static Slapd far;
  private static Slapd front;
  private static Slapd slapd;

  @BeforeAll
  static void startSlapds() {
    far =
        Slapd.start(
            SlapdConfig.stock()
                .module("memberof")
                .database(
                    "dc=far", "overlay memberof", tree("dc=far", "memberOf: cn=static,dc=far")));
    front = Slapd.start(front("ldap://127.0.0.1:" + far.port()));
    slapd = Slapd.start(config());
  }

  @AfterAll
  static void stopSlapds() {
    Stream.of(slapd, front, far).forEach(Slapd::close);
  }

  /** A server of proxies only: their lines stand where those of all databases do. */
  private static SlapdConfig front(String uri) {
    return SlapdConfig.stock()
        .module("back_ldap")
        .module("back_meta")
        .global(MEMBER_OF)
        .global(
            """
            database ldap
            suffix dc=far
            uri %1$s
            database meta
            suffix dc=meta
            uri %1$s/dc=meta
            suffixmassage dc=meta dc=far
            """
                .formatted(uri));
  }

  private static SlapdConfig config() {
    SlapdConfig config = SlapdConfig.stock();
    for (String module :
        List.of(
            "back_relay",
            "dynlist",
            "autogroup",
            "memberof",
            "collect",
            "valsort",
            "rwm",
            "dds",
            "deref")) {
      config = config.module(module);
    }
    return config
        .global(
            """
            database relay
            suffix dc=relay
            relay dc=dynlist
            overlay rwm
            rwm-suffixmassage dc=relay dc=dynlist
            """)
        .database("dc=dynlist", dynlist("member+memberOf@groupOfNames"), tree("dc=dynlist"))
        .database("dc=nested", dynlist("member+memberOf@groupOfNames*"), tree("dc=nested"))
        .database("dc=mapped", dynlist("l:cn"), tree("dc=mapped"))
        .database("dc=below,dc=glue", "subordinate\noverlay valsort", tree("dc=below,dc=glue"))
        .database("dc=glue", dynlist("member"), tree("dc=glue"))
        .database(
            "dc=auto",
            "overlay memberof\noverlay autogroup\n"
                + "autogroup-attrset groupOfURLs memberURL member",
            tree("dc=auto"))
        .database(
            "dc=collect",
            "overlay collect\ncollectinfo \"ou=people,dc=collect\" l\n"
                + "overlay dds\noverlay deref",
            tree("dc=collect"))
        .database(
            "dc=rwm",
            "overlay rwm\nrwm-map attribute l description\noverlay valsort\n"
                + "valsort-attr description dc=rwm alpha-ascend",
            tree("dc=rwm"));
  }

  private static String dynlist(String members) {
    return "overlay dynlist\ndynlist-attrset groupOfURLs memberURL " + members;
  }

  private static Ldif tree(String suffix, String... more) {
    Ldif ldif = new Ldif();
    String name = suffix.substring("dc=".length()).split(",", 2)[0];
    ldif.entry(suffix, "objectClass: domain", "dc: " + name);
    ldif.entry("ou=people," + suffix, "objectClass: organizationalUnit", "ou: people", "l: Athens");
    for (String uid : List.of("anna", "bert")) {
      List<String> lines =
          new ArrayList<>(
              List.of(
                  "objectClass: inetOrgPerson",
                  "uid: " + uid,
                  "cn: " + uid,
                  "sn: Person",
                  "l: Z",
                  "l: A",
                  "description: b",
                  "description: a"));
      lines.addAll(List.of(more));
      ldif.entry("uid=" + uid + ",ou=people," + suffix, lines.toArray(String[]::new));
    }
    ldif.entry(
        "cn=static," + suffix,
        "objectClass: groupOfNames",
        "cn: static",
        "member: uid=anna,ou=people," + suffix,
        "member: cn=dyn," + suffix);
    ldif.entry(
        "cn=dyn," + suffix,
        "objectClass: groupOfURLs",
        "cn: dyn",
        "memberURL: ldap:///ou=people," + suffix + "??sub?(uid=*)");
    ldif.entry(
        "cn=alias," + suffix,
        "objectClass: alias",
        "objectClass: extensibleObject",
        "cn: alias",
        "aliasedObjectName: cn=dyn," + suffix);
    return ldif;
  }

  static Stream<String> suffixes() {
    return Stream.of(
        "dc=far",
        "dc=meta",
        "dc=relay",
        "dc=dynlist",
        "dc=nested",
        "dc=mapped",
        "dc=glue",
        "dc=auto",
        "dc=collect",
        "dc=rwm");
  }

  private static List<RawRequest> requests(String suffix) {
    return Stream.of(LISTS).flatMap(list -> requests(suffix, list).stream()).toList();
  }

  private static List<RawRequest> requests(String suffix, String... list) {
    String person = "uid=anna,ou=people," + suffix;
    List<RawRequest> all = new ArrayList<>();
    for (Control[] controls : controls()) {
      all.add(search("cn=dyn," + suffix).baseScope().attributes(list).request().with(controls));
      for (String filter : filters(suffix)) {
        all.add(search(suffix).filter(filter).attributes(list).request().with(controls));
      }
    }
    all.add(search(person).baseScope().attributes(list).request());
    all.add(search("ou=people," + suffix).oneLevel().attributes(list).request());
    all.add(search("cn=alias," + suffix).baseScope().deref(3).attributes(list).request());
    all.add(search(suffix).filter("(cn=dyn)").justTypes().attributes(list).request());
    if (suffix.equals("dc=glue")) {
      all.add(search("dc=below,dc=glue").filter("(cn=dyn)").attributes(list).request());
    }
    return all;
  }

  private static List<String> filters(String suffix) {
    return List.of(
        "(cn=dyn)",
        "(uid=anna)",
        "(|(cn=dyn)(member=uid=anna,ou=people," + suffix + "))",
        "(|(memberOf=cn=dyn," + suffix + ")(memberOf=cn=x," + suffix + "))",
        "(|(uid=anna)(memberOf=cn=static," + suffix + "))");
  }

  private static List<Control[]> controls() {
    return List.of(
        new Control[0],
        new Control[] {new ManageDsaITRequestControl(false)},
        new Control[] {new RFC3672SubentriesRequestControl(true, false)});
  }

  @ParameterizedTest
  @MethodSource("suffixes")
  void requestsAnsweredDifferentlyShareNoEntry(String suffix) {
    Slapd server = List.of("dc=far", "dc=meta").contains(suffix) ? front : slapd;
    try (RunningProxy proxy = before(server);
        RawLdapClient direct = RawLdapClient.connect(server.address());
        RawLdapClient client = proxy.client()) {
      TripleReads reads = new TripleReads(proxy, direct, client, requests(suffix));
      List<String> wrong = reads.run(Soak.scale(1_500, 100_000), Soak.seed());
      assertThat(wrong.stream().limit(3)).isEmpty();
    }
  }

  /** With ManageDsaIT, dynlist shows what is stored in an entry, and computes nothing. */
  @ParameterizedTest
  @CsvSource({"cn=dyn,member", "'uid=anna,ou=people',memberOf"})
  void dynlistValuesAreNotSharedWithManageDsaIt(String name, String attribute) {
    String dn = name + ",dc=dynlist";
    RawRequest found =
        search("dc=dynlist")
            .filter("(" + name.split(",", 2)[0] + ")")
            .attributes(attribute)
            .request();
    RawRequest stored =
        search(dn)
            .baseScope()
            .attributes(attribute)
            .request()
            .with(new ManageDsaITRequestControl(false));
    try (RunningProxy proxy = before(slapd);
        RawLdapClient direct = RawLdapClient.connect(slapd.address());
        RawLdapClient client = proxy.client()) {
      assertThat(direct.call(found).get(0).op()).isNotEqualTo(direct.call(stored).get(0).op());
      assertThat(new TripleReads(proxy, direct, client, List.of(found, stored)).run()).isEmpty();
    }
  }

  private static Ldif computed(String suffix) {
    Ldif ldif = Ldif.forDs389();
    ldif.entry(
        suffix,
        "objectClass: domain",
        "dc: computed",
        "aci: (targetattr=\"*\")(version 3.0; acl \"all\"; allow (read, search, compare)"
            + " userdn=\"ldap:///anyone\";)");
    ldif.entry("ou=people," + suffix, "objectClass: organizationalUnit", "ou: people");
    for (String uid : List.of("anna", "bert")) {
      ldif.entry(
          "uid=" + uid + ",ou=people," + suffix,
          "objectClass: inetOrgPerson",
          "uid: " + uid,
          "cn: " + uid,
          "sn: Person",
          "nsRoleDN: cn=role," + suffix);
    }
    ldif.entry(
        "cn=role," + suffix,
        "objectClass: ldapsubentry",
        "objectClass: nsRoleDefinition",
        "objectClass: nsSimpleRoleDefinition",
        "objectClass: nsManagedRoleDefinition",
        "cn: role");
    ldif.entry(
        "cn=template," + suffix,
        "objectClass: cosTemplate",
        "objectClass: extensibleObject",
        "cn: template",
        "street: Here");
    ldif.entry(
        "cn=service," + suffix,
        "objectClass: ldapsubentry",
        "objectClass: cosSuperDefinition",
        "objectClass: cosPointerDefinition",
        "cn: service",
        "cosTemplateDn: cn=template," + suffix,
        "cosAttribute: street");
    ldif.entry(
        "ou=view," + suffix,
        "objectClass: organizationalUnit",
        "objectClass: nsView",
        "ou: view",
        "nsViewFilter: (uid=anna)");
    return ldif;
  }

  private static List<RawRequest> ofComputed(String suffix) {
    List<RawRequest> all = new ArrayList<>();
    for (String[] list :
        new String[][] {
          {}, {"*"}, {"+"}, {"*", "+"}, {"cn"}, {"street"}, {"nsRole"}, {"*", "nsRole"}
        }) {
      for (Control[] controls : controls()) {
        for (String filter :
            List.of("(uid=anna)", "(street=Here)", "(nsRole=cn=role," + suffix + ")")) {
          for (String base : List.of(suffix, "ou=view," + suffix)) {
            all.add(search(base).filter(filter).attributes(list).request().with(controls));
          }
        }
      }
      all.add(search("uid=anna,ou=people," + suffix).baseScope().attributes(list).request());
      all.add(search("ou=people," + suffix).oneLevel().attributes(list).request());
      all.add(search("ou=people," + suffix).justTypes().attributes(list).request());
    }
    return all;
  }

  /** Classes of service, roles and views of 389-ds compute attributes, and where an entry is. */
  @Test
  void valuesComputedBy389DsPluginsAreNotShared() {
    String suffix = "dc=computed";
    try (Ds389 server = Ds389.start(Ds389Config.stock().database(suffix, computed(suffix)));
        RunningProxy proxy =
            ProxySetup.before(server.address().getPort()).maxAge(Duration.ofMinutes(10)).start();
        RawLdapClient direct = RawLdapClient.connect(server.address());
        RawLdapClient client = proxy.client()) {
      RawRequest street =
          search("uid=anna,ou=people," + suffix).baseScope().filter("(street=Here)").request();
      Await.until("the class of service is computed", () -> direct.call(street).size() == 2);
      TripleReads reads = new TripleReads(proxy, direct, client, ofComputed(suffix));
      List<String> wrong = reads.run(Soak.scale(1_000, 100_000), Soak.seed());
      assertThat(wrong.stream().limit(3)).isEmpty();
    }
  }

  private static RunningProxy before(Slapd server) {
    return ProxySetup.before(server.port()).maxAge(Duration.ofMinutes(10)).start();
  }
}
