// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.AbandonRequestProtocolOp;
import com.unboundid.ldap.protocol.AddRequestProtocolOp;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.CompareRequestProtocolOp;
import com.unboundid.ldap.protocol.DeleteRequestProtocolOp;
import com.unboundid.ldap.protocol.ExtendedRequestProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ModifyDNRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyRequestProtocolOp;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.protocol.UnbindRequestProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import io.netty.buffer.Unpooled;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RedactionTest {
  private static final String SECRET = "s3cret";
  private static final RequestDecoder DECODER = new RequestDecoder(() -> DecodeLimits.DEFAULTS);

  @Test
  void search() throws Exception {
    SearchRequestProtocolOp op =
        new SearchRequestProtocolOp(
            "ou=people",
            SearchScope.SUB,
            DereferencePolicy.NEVER,
            0,
            0,
            false,
            Filter.create("(uid=jdoe)"),
            List.of("cn", "sn", "mail"));
    assertThat(describe(op))
        .isEqualTo("search base=\"ou=people\" scope=sub filter=(uid=?) attrs=3");
  }

  @ParameterizedTest
  @CsvSource({
    "(&(a=1)(|(b>=2)(!(c<=3)))(d~=4)(e=*)), (&(a=?)(|(b>=?)(!(c<=?)))(d~=?)(e=*))",
    "(|(a=1*)(b=*2)(c=*3*)(d=4*5*6*7)), (|(a=?*)(b=*?)(c=*?*)(d=?*?*?*?))",
    "(|(a:=1)(b:dn:2.4.6:=2)(:2.4.6:=3)), (|(a:=?)(b:dn:2.4.6:=?)(:2.4.6:=?))",
    "(&), (&)"
  })
  void filters(String filter, String text) throws Exception {
    assertThat(describe(search(Filter.create(filter)))).contains(" filter=" + text + " ");
  }

  static Stream<ProtocolOp> requestsWithASecret() throws Exception {
    ASN1OctetString value = new ASN1OctetString(SECRET);
    return Stream.of(
        search(Filter.createEqualityFilter("userPassword", SECRET)),
        search(Filter.createSubstringFilter("sn", SECRET, new String[] {SECRET}, SECRET)),
        search(Filter.createExtensibleMatchFilter("sn", "2.4.6", true, SECRET)),
        new CompareRequestProtocolOp("cn=x", "userPassword", value),
        new BindRequestProtocolOp("cn=x", SECRET),
        new BindRequestProtocolOp("cn=x", "PLAIN", value),
        new AddRequestProtocolOp("cn=x", List.of(new Attribute("userPassword", SECRET))),
        new ModifyRequestProtocolOp(
            "cn=x", List.of(new Modification(ModificationType.REPLACE, "userPassword", SECRET))),
        new ExtendedRequestProtocolOp(Oids.PASSWORD_MODIFY, value));
  }

  @ParameterizedTest
  @MethodSource("requestsWithASecret")
  void neverShowsAValue(ProtocolOp op) throws Exception {
    com.unboundid.ldap.sdk.Control control =
        new com.unboundid.ldap.sdk.Control("1.2.3", true, new ASN1OctetString(SECRET));
    Request request = decode(SampleMessages.encode(1, op, control));
    String text = Redaction.describe(request);
    assertThat(text).doesNotContain(SECRET).endsWith(" control=!\"1.2.3\"");
    assertThat(request.controls().get(0).toString()).doesNotContain(SECRET);
  }

  @Test
  void otherRequests() throws Exception {
    assertThat(describe(new CompareRequestProtocolOp("cn=x", "sn", new ASN1OctetString("v"))))
        .isEqualTo("compare entry=\"cn=x\" assertion=(sn=?)");
    assertThat(describe(new BindRequestProtocolOp("cn=x", "p")))
        .isEqualTo("bind version=3 name=\"cn=x\" simple");
    assertThat(describe(new BindRequestProtocolOp("", "PLAIN", null)))
        .isEqualTo("bind version=3 name=\"\" sasl=\"PLAIN\"");
    assertThat(describe(new AddRequestProtocolOp("cn=x", List.of())))
        .isEqualTo("add entry=\"cn=x\"");
    assertThat(describe(new ModifyRequestProtocolOp("cn=x", List.of())))
        .isEqualTo("modify entry=\"cn=x\"");
    assertThat(describe(new DeleteRequestProtocolOp("cn=x"))).isEqualTo("delete entry=\"cn=x\"");
    assertThat(describe(new ModifyDNRequestProtocolOp("cn=x", "cn=y", true, "ou=z")))
        .isEqualTo("modifydn entry=\"cn=x\" newrdn=\"cn=y\" newsuperior=\"ou=z\"");
    assertThat(describe(new ModifyDNRequestProtocolOp("cn=x", "cn=y", true, null)))
        .isEqualTo("modifydn entry=\"cn=x\" newrdn=\"cn=y\"");
    assertThat(describe(new ExtendedRequestProtocolOp(Oids.WHO_AM_I, null)))
        .isEqualTo("extended oid=\"1.3.6.1.4.1.4203.1.11.3\"");
    assertThat(describe(new AbandonRequestProtocolOp(7))).isEqualTo("abandon id=7");
    assertThat(describe(new UnbindRequestProtocolOp())).isEqualTo("unbind");
  }

  /** Nobody can write a line of ours into a log, or hide one. */
  @Test
  void escapesControlAndNonAsciiCharacters() throws Exception {
    assertThat(describe(new DeleteRequestProtocolOp("cn=\n\u001b[2J\"\\\u00e9")))
        .isEqualTo("delete entry=\"cn=\\0a\\1b[2J\\22\\5c\\c3\\a9\"");
    assertThat(describe(search(Filter.createPresenceFilter("a=1)(userPassword"))))
        .contains("(a\\3d1\\29\\28userPassword=*)");
  }

  @Test
  void isBounded() throws Exception {
    Filter item = Filter.createEqualityFilter("a".repeat(10_000), "v");
    List<Filter> items = Collections.nCopies(1000, item);
    com.unboundid.ldap.sdk.Control[] controls =
        Collections.nCopies(900, new com.unboundid.ldap.sdk.Control("1".repeat(100)))
            .toArray(com.unboundid.ldap.sdk.Control[]::new);
    ProtocolOp search = search(Filter.createORFilter(items));
    for (byte[] frame :
        List.of(
            SampleMessages.encode(1, search),
            SampleMessages.encode(1, new UnbindRequestProtocolOp(), controls),
            SampleMessages.encode(1, new DeleteRequestProtocolOp("x".repeat(100_000))))) {
      assertThat(Redaction.describe(decode(frame))).hasSizeLessThan(1010).contains("...");
    }
  }

  @Test
  void isOneLineOfPrintableAsciiForEveryRequest() throws Exception {
    for (LDAPMessage message : new SampleMessages(41).requests(2200).toList()) {
      String text = Redaction.describe(decode(message.encode().encode()));
      assertThat(text).matches("[ -~]+").hasSizeLessThan(1010);
    }
  }

  private static SearchRequestProtocolOp search(Filter filter) {
    return new SearchRequestProtocolOp(
        "", SearchScope.BASE, DereferencePolicy.NEVER, 0, 0, false, filter, List.of());
  }

  private static String describe(ProtocolOp op) throws LdapProtocolException {
    return Redaction.describe(decode(SampleMessages.encode(1, op)));
  }

  private static Request decode(byte[] frame) throws LdapProtocolException {
    return DECODER.decode(LdapMessage.parse(Unpooled.wrappedBuffer(frame)));
  }

  private static SearchPattern pattern(String base, int scope, String filter, String... attributes)
      throws Exception {
    SearchRequestProtocolOp op =
        new SearchRequestProtocolOp(
            base,
            SearchScope.valueOf(scope),
            DereferencePolicy.NEVER,
            0,
            0,
            false,
            Filter.create(filter),
            List.of(attributes));
    return Redaction.pattern((RequestOp.SearchOp) decode(SampleMessages.encode(1, op)).op());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "uid=jdoe,ou=People; uid=?,ou=people",
        "uid=a\\,b,ou=People; uid=?,ou=people",
        "uid=jdoe; uid=?",
        "cn=\"Doe, John\",ou=People; cn=?,ou=people",
        "uid=; uid=?",
        "jdoe; jdoe",
        "'';''"
      })
  void thePatternOfAReadHidesTheName(String base, String expected) throws Exception {
    assertThat(pattern(base, 0, "(objectClass=*)").base()).isEqualTo(expected);
  }

  @Test
  void patternsShowBasesAndClassesOnly() throws Exception {
    String filter = "(&(objectClass=Person)(UID=" + SECRET + ")(cn=" + SECRET + "*x))";
    SearchPattern pattern = pattern("ou=A,dc=b", 2, filter, "SN", "cn", "sn");
    assertThat(pattern)
        .isEqualTo(
            new SearchPattern(
                "ou=a,dc=b", 2, "(&(objectclass=person)(uid=?)(cn=?*?))", "cn sn", 0));
    assertThat(pattern.id()).isEqualTo("b58b5650ebad37e4").hasSize(16);
    assertThat(pattern("", 2, "(a=1)").attributes()).isEqualTo("*");
  }

  @Test
  void aPatternHasABoundedNumberOfAttributes() throws Exception {
    String[] names = new String[5_000];
    for (int i = 0; i < names.length; i++) {
      names[i] = "a" + i;
    }
    assertThat(pattern("", 2, "(a=1)", names).attributes())
        .startsWith("... a0 a1 ")
        .contains(" a99");
    assertThat(pattern("", 2, "(a=1)", names).attributes()).doesNotContain("a100");
  }
}
