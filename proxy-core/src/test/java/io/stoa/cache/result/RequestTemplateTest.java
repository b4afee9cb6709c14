// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.result.Lookup.LookupListener;
import io.stoa.cache.result.QueryKey.StoredKey;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.Interner;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.RequestScanner;
import io.stoa.ldap.protocol.RequestShape;
import io.stoa.ldap.schema.Profiles;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.operation.ResponseCollector;
import io.stoa.operation.ResponseCollector.Limit;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.Requests;
import io.stoa.testing.TestSession;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestTemplateTest {
  private final Cacheability cacheability =
      new Cacheability(1, Profiles.OPENLDAP, CacheConfig.DEFAULTS);
  private final Interner interner =
      new Interner(RequestTemplate.SHARED, RequestTemplate.MAX_SHARED);
  private final RequestScanner scanner = new RequestScanner();

  private static LdapMessage search(String filter) {
    byte[] op = Requests.search("dc=example,dc=com").filter(filter).request().op();
    return LdapMessage.ofBody(1, op);
  }

  private RequestTemplate template(LdapMessage message) throws LdapProtocolException {
    return template(message, cacheability);
  }

  private RequestTemplate template(LdapMessage message, Cacheability rules)
      throws LdapProtocolException {
    Request request = new RequestDecoder(() -> DecodeLimits.DEFAULTS).decode(message);
    RequestShape shape = scanner.scan(message);
    return rules
        .template(request, scanner)
        .interned(interner, shape.copy(), request, DecodeLimits.DEFAULTS);
  }

  private QueryKey key(String filter) throws LdapProtocolException {
    RequestTemplate template = template(search(filter));
    return new StoredKey(Octets.EMPTY, template.query(), template.values(scanner));
  }

  /** Templates of two orders share their query, and still find their own values. */
  @Test
  void membersInAnotherOrderAreOneKey() throws LdapProtocolException {
    assertThat(key("(&(cn=a)(sn=b))")).isEqualTo(key("(&(sn=B)(cn=A))"));
    assertThat(key("(&(cn=a)(sn=b))")).isNotEqualTo(key("(&(sn=a)(cn=b))"));
    assertThat(key("(&(sn=a)(cn=b))")).isEqualTo(key("(&(cn=b)(sn=a))"));
  }

  @Test
  void theRequestIsSentAgainAsTheClientSentIt() throws LdapProtocolException {
    LdapMessage message = search("(&(SN=Von  Stein)(cn=A*b))");
    RequestTemplate template = template(message);
    byte[] sent = template.sent(message, scanner, template.values(scanner));
    assertThat(template.body(sent)).isEqualTo(Octets.of(message.copyBody()));
  }

  @Test
  void aRequestWithControlsIsDecodedBeforeItIsSent() throws LdapProtocolException {
    assertThat(template(search("(cn=a)")).accepted()).isEqualTo(DecodeLimits.DEFAULTS);
    LdapMessage message =
        LdapMessage.of(
            1,
            Requests.search("dc=example,dc=com").filter("(cn=a)").request().op(),
            List.of(new Control(Oids.MANAGE_DSA_IT, true, null)));
    assertThat(template(message).accepted()).isNull();
  }

  /** Results keep their template, so that its octets must be few. */
  @Test
  void aLargeShapeIsNotSplit() {
    String many = "(cn=*)".repeat(1_000);
    assertThat(scanner.scan(search("(|" + many + ")"))).isNull();
    assertThat(scanner.scan(search("(cn=" + "x".repeat(10_000) + ")"))).isNotNull();
  }

  /** Without a known schema each result has a form of its own, which counts. */
  @Test
  void aFormWithValuesCountsInItsResult() throws LdapProtocolException {
    Cacheability exact = new Cacheability(1, ServerProfile.EXACT, CacheConfig.DEFAULTS);
    LdapMessage message = search("(cn=" + "x".repeat(10_000) + ")");
    RequestTemplate own = template(message, exact);
    assertThat(own.formSize(own.values(scanner))).isBetween(10_000, 10_500);
    RequestTemplate shared = template(message);
    assertThat(shared.formSize(shared.values(scanner))).isZero();
  }

  /** The limits may have changed since an earlier stage decoded the request. */
  @Test
  void aRequestThatWasDecodedBeforeProvesNothingForThePresentLimits() {
    for (boolean before : List.of(true, false)) {
      Operation operation =
          new Operation(
              new TestSession(new ManualLoop()),
              search("(cn=a)"),
              new RequestDecoder(() -> DecodeLimits.DEFAULTS),
              0,
              own -> new ResponseCollector(own, Limit.FINAL_RESPONSE, none -> {}));
      if (before) {
        operation.request();
      }
      CacheGeneration rules =
          new CacheGeneration(1, Profiles.OPENLDAP, CacheConfig.DEFAULTS, 1_000_000);
      RequestTemplate template = rules.template(operation, scanner, LookupListener.FOR_CLIENT);
      assertThat(template.accepted()).isEqualTo(before ? null : DecodeLimits.DEFAULTS);
    }
  }
}
