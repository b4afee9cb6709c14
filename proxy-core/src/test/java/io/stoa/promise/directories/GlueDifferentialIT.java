// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.directories;

import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Ldif;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.ServerAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Two slapds behind Stoa, beside one slapd that has the same databases glued together: a script
 * gets the same answers from both. And what becomes of an attribute that the two define otherwise.
 */
class GlueDifferentialIT {
  private static final String TOP = "dc=test";
  private static final String SALES = "dc=sales,dc=test";
  private static final String ANNA = "uid=anna,ou=people,dc=test";
  private static final String BERT = "uid=bert,dc=sales,dc=test";
  private static final String COLOR =
      "attributetype ( 1.3.6.1.4.1.99999.1.1 NAME 'color' EQUALITY %s SYNTAX"
          + " 1.3.6.1.4.1.1466.115.121.1.15 )";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Slapd whole;
  private static Slapd top;
  private static Slapd sales;

  @BeforeAll
  static void startSlapds() {
    whole =
        Slapd.start(
            SlapdConfig.stock()
                .global(COLOR.formatted("caseExactMatch"))
                .database(SALES, "subordinate", salesLdif())
                .database(TOP, "", topLdif()));
    top =
        Slapd.start(
            SlapdConfig.stock()
                .global(COLOR.formatted("caseIgnoreMatch"))
                .database(TOP, "", topLdif()));
    sales =
        Slapd.start(
            SlapdConfig.stock()
                .global(COLOR.formatted("caseExactMatch"))
                .database(SALES, "", salesLdif()));
  }

  @AfterAll
  static void stopSlapds() {
    List.of(whole, top, sales).forEach(Slapd::close);
  }

  private static Ldif topLdif() {
    Ldif ldif = new Ldif();
    ldif.entry(TOP, "objectClass: domain", "dc: test");
    ldif.entry("ou=people,dc=test", "objectClass: organizationalUnit", "ou: people");
    person(ldif, ANNA, "anna");
    return ldif;
  }

  private static Ldif salesLdif() {
    Ldif ldif = new Ldif();
    ldif.entry(SALES, "objectClass: domain", "dc: sales");
    person(ldif, BERT, "bert");
    person(ldif, "uid=carl," + SALES, "carl");
    return ldif;
  }

  private static void person(Ldif ldif, String dn, String name) {
    ldif.entry(
        dn,
        "objectClass: inetOrgPerson",
        "objectClass: extensibleObject",
        "uid: " + name,
        "cn: " + name,
        "sn: " + name,
        "color: Red",
        "userPassword: pw-" + name);
  }

  private static RunningProxy start(String... topSuffixes) {
    RunningProxy proxy =
        ProxySetup.before(top.port(), sales.port())
            .upstream("servers", List.of(spec(top, topSuffixes), spec(sales, SALES)))
            .start();
    Await.until("both are known", () -> proxy.cache().invalidations() > 1);
    return proxy;
  }

  private static ServerSpec spec(Slapd server, String... suffixes) {
    ServerAddress address = new ServerAddress("127.0.0.1", server.port());
    return new ServerSpec(address, true, 1, 1, List.of(suffixes));
  }

  private static List<RawRequest> script() {
    List<RawRequest> script = new ArrayList<>();
    for (String base : List.of(TOP, SALES, "ou=people,dc=test", BERT, "dc=none," + SALES, "o=x")) {
      for (int scope = 0; scope <= 2; scope++) { // slapd glues no others
        script.add(search(base).scope(scope).filter("(objectClass=*)").request());
        script.add(search(base).scope(scope).filter("(uid=*)").attributes("uid").request());
      }
    }
    script.add(search(TOP).filter("(&(uid=bert)(sn=BERT))").justTypes().request());
    script.add(search(TOP).sizeLimit(6).request());
    script.add(search(TOP).timeLimit(9).request());
    script.add(compare(BERT, "sn", "bert"));
    script.add(compare("uid=nobody," + SALES, "sn", "bert"));
    script.add(replace(ANNA, "sn", "x"));
    script.add(Requests.whoAmI());
    for (String dn : List.of(ANNA, BERT)) {
      script.add(bind(dn, "wrong"));
      script.add(bind(dn, "pw-" + dn.substring(4, 8)));
      script.add(Requests.whoAmI());
    }
    script.add(bind("cn=admin," + TOP, SlapdConfig.ROOT_PASSWORD));
    script.add(Requests.move(ANNA, "uid=anna", SALES));
    script.add(Requests.move(ANNA, "dc=sales", TOP));
    script.add(Requests.rename("ou=people,dc=test", "dc=sales", false));
    script.add(Requests.rename(ANNA, "uid=berta", true));
    script.add(Requests.delete("uid=berta,ou=people,dc=test"));
    script.add(search(TOP).request());
    script.add(bind("cn=admin," + SALES, SlapdConfig.ROOT_PASSWORD));
    script.add(replace(BERT, "description", "new"));
    script.add(Requests.add("cn=new," + SALES, "objectClass: person", "cn: new", "sn: new"));
    script.add(search(TOP).filter("(|(cn=new)(description=new))").request());
    script.add(Requests.delete("cn=new," + SALES));
    script.add(Requests.delete("cn=new," + SALES));
    script.add(bind("", ""));
    return script;
  }

  /** What an answer tells, whatever the order of entries. */
  private static List<String> answerLines(List<RawMessage> answer) {
    List<String> told = new ArrayList<>();
    for (RawMessage message : answer) {
      if (message.opTag() == RawMessage.SEARCH_ENTRY) {
        SearchResultEntryProtocolOp entry = message.decoded().getSearchResultEntryProtocolOp();
        told.add(new Entry(entry.getDN(), entry.getAttributes()).toLDIFString());
      } else {
        told.add("code " + (message.isFinal() ? message.resultCode() : message.opTag()));
      }
    }
    told.sort(String::compareTo);
    return told;
  }

  @Test
  void answerAsGluedDatabasesDo() {
    try (RunningProxy proxy = start(TOP);
        RawLdapClient direct = RawLdapClient.connect(whole.address());
        RawLdapClient client = proxy.client()) {
      for (RawRequest request : script()) {
        List<String> expected = answerLines(direct.call(request));
        assertThat(answerLines(client.call(request))).as(request.toString()).isEqualTo(expected);
        if (request.tag() == 0x63) {
          assertThat(answerLines(client.call(request))).as("again").isEqualTo(expected);
        }
      }
      assertThat(proxy.cache().filterHits()).isPositive();
    }
  }

  /** One of them ignores the case of colors, the other does not: nobody's rule holds for both. */
  @Test
  void compareExactlyValuesThatSchemasDefineDifferently() {
    try (RunningProxy proxy = start();
        RawLdapClient client = proxy.client()) {
      assertThat(found(client, SALES, "(color=Red)")).isEqualTo(2);
      assertThat(found(client, SALES, "(color=RED)")).isZero();
      assertThat(found(client, SALES, "(color=Red)")).isEqualTo(2);
      long hits = proxy.cache().filterHits();
      assertThat(found(client, SALES, "(CN=carl)")).isEqualTo(1);
      assertThat(found(client, SALES, "(cn=CARL)")).isEqualTo(1);
      assertThat(proxy.cache().filterHits()).isEqualTo(hits + 1);
    }
  }

  private static int found(RawLdapClient client, String base, String filter) {
    return client.call(search(base).filter(filter).attributes("cn").request()).size() - 1;
  }
}
