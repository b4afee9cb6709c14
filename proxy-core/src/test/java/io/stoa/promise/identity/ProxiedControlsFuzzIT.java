// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.net.tls.ClientAuthentication;
import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RandomControls;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.ServiceWatch;
import io.stoa.testing.Soak;
import io.stoa.testing.Tlv;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * However clients have bound, whatever they ask, with whatever controls in whatever encoding:
 * nothing of theirs reaches a connection of the service account without the critical control that
 * names them, and no other that names anybody.
 */
class ProxiedControlsFuzzIT {
  private static final int REQUESTS = Soak.scale(4000, 400_000);
  private static final int CLIENTS = 5;

  /** The one that binds by a mechanism of the directory's. */
  private static final int SASL_CLIENT = 5;

  private static final int SASL_LIVES = 10;

  /** The messageIDs of what ends others; no test sends so many. */
  private static final int ENDS = 1 << 24;

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String CANCEL = "1.3.6.1.1.8";
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  private static final String RULE =
      "certificate CN={user},O=Example => dn:uid={user}," + People.PEOPLE;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @TempDir Path directory;

  private final Certificates certificates = Certificates.create();
  private final List<SSLContext> contexts =
      IntStream.range(0, CLIENTS)
          .mapToObj(number -> certificates.client("cn=" + People.user(number) + ",o=Example"))
          .map(certificates::clientContext)
          .toList();

  @AfterEach
  void removeFiles() {
    certificates.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyRequestNamesItsClient(boolean keepPasswords) {
    Random random = new Random(Soak.seed());
    try (ScriptedUpstream upstream = upstream()) {
      ProxySetup setup = setup(upstream).upstream("keepPasswords", keepPasswords);
      try (RunningProxy proxy = setup.start()) {
        for (int sent = 0; sent < REQUESTS; ) {
          sent += life(proxy, random, REQUESTS - sent);
        }
      }
      List<Received> seen = ServiceWatch.received(upstream);
      assertThat(seen).hasSizeGreaterThan(REQUESTS / 10);
      assertThat(ServiceWatch.violations(upstream, ProxiedControlsFuzzIT::client)).isEmpty();
      assertThat(ServiceWatch.strayAbandons(upstream)).isEmpty();
      assertThat(upstream.received(ProxiedControlsFuzzIT::isExternal)).isEmpty();
    }
  }

  private ProxySetup setup(ScriptedUpstream upstream) {
    Certificates.Pair own = certificates.server();
    TlsConfig tls =
        TlsConfig.DEFAULTS.identity(own.certificate(), own.key()).trusting(certificates.ca());
    return ProxySetup.before(upstream.port())
        .tls(
            Records.with(tls, "clientAuth", ClientAuthentication.REQUEST),
            "127.0.0.1:0",
            "ldaps://127.0.0.1:0")
        .upstream("identity", ServiceWatch.identity(directory, RULE));
  }

  /** It answers without reading what the decoder of the tests might not read. */
  private static ScriptedUpstream upstream() {
    Answer saslClient =
        (request, link) ->
            link.send(request.messageId(), Responses.extendedValue("dn:" + People.dn(SASL_CLIENT)));
    return ServiceWatch.upstream()
        .when(
            request -> request.message().mentions(People.PEOPLE) && !request.is(Received.BIND),
            Answers.success())
        .when(request -> request.is(Received.EXTENDED), Answers.success())
        .when(request -> request.message().mentions(WHO_AM_I), saslClient);
  }

  private static boolean isExternal(Received request) {
    return request.is(Received.BIND) && request.message().mentions("EXTERNAL");
  }

  /** One client, until Stoa ends its connection; says how many requests it sent. */
  private int life(RunningProxy proxy, Random random, int max) {
    boolean sasl = random.nextInt(SASL_LIVES) == 0;
    int number = sasl ? SASL_CLIENT : random.nextInt(CLIENTS);
    try (RawLdapClient client = bound(proxy, random, number)) {
      for (int sent = 1; sent <= max; sent++) {
        int id = sent + 1;
        if (random.nextInt(10) == 0) {
          client.sendOctets(hasty(People.dn(number), id, random));
        } else {
          client.sendOctets(encoded(id, request(People.dn(number), random), random));
          if (!answered(client, id)) {
            return sent;
          }
        }
      }
    }
    return max;
  }

  private RawLdapClient bound(RunningProxy proxy, Random random, int number) {
    if (number == SASL_CLIENT) {
      return bound(proxy.client(), Requests.saslBind("X-TEST", "token"));
    }
    return random.nextInt(4) == 0
        ? bound(byTls(proxy, number), Requests.saslBind("EXTERNAL"))
        : bound(proxy.client(), Requests.bind(People.dn(number), "secret"));
  }

  private static RawLdapClient bound(RawLdapClient client, RawRequest bind) {
    assertThat(client.patience(SOON).code(bind)).isZero();
    return client;
  }

  private RawLdapClient byTls(RunningProxy proxy, int number) {
    int port = proxy.proxy().listeners().get(1).port();
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    return RawLdapClient.connect(address, contexts.get(number));
  }

  /** Whether the request was answered, and the connection is still there. */
  private static boolean answered(RawLdapClient client, int id) {
    Optional<RawMessage> answer = client.next();
    while (answer.isPresent() && answer.get().messageId() != id && answer.get().messageId() > 0) {
      answer = client.next(); // to what was abandoned too late
    }
    return answer.filter(last -> last.messageId() == id).isPresent();
  }

  private static byte[] encoded(int id, RawRequest request, Random random) {
    return request.controls().isEmpty()
        ? Tlv.of(0x30, Tlv.integer(0x02, id), request.op(), RandomControls.next(random))
        : request.encode(id);
  }

  /** A search that is not wanted any more as soon as it is sent. */
  private static byte[] hasty(String dn, int id, Random random) {
    RawRequest end =
        random.nextBoolean()
            ? Requests.abandon(id)
            : Requests.extended(CANCEL, Tlv.of(0x30, Tlv.integer(0x02, id)));
    RawRequest search = Requests.search(dn).filter("(cn=" + id + ")").request();
    return Tlv.concat(search.encode(id), end.encode(id + ENDS));
  }

  /** Each request says by its names who sent it, if it has any. */
  private static RawRequest request(String dn, Random random) {
    RawRequest search = Requests.search(dn).baseScope().request();
    return switch (random.nextInt(12)) {
      case 0 -> Requests.compare(dn, "cn", "x");
      case 1 -> Requests.delete(dn);
      case 2 -> Requests.replace(dn, "sn", "x");
      case 3 -> Requests.rename(dn, "cn=x", true);
      case 4 -> Requests.extended(WHO_AM_I);
      case 5 -> Requests.extended("1.2.3.4.5", dn.getBytes(StandardCharsets.UTF_8));
      case 6 -> search.with(new SimplePagedResultsControl(10, true));
      case 7 -> search.with(persistent());
      case 8 ->
          search.with(new ContentSyncRequestControl(ContentSyncRequestMode.REFRESH_AND_PERSIST));
      case 9 -> random.nextInt(10) == 0 ? Requests.unbind() : search;
      default -> search;
    };
  }

  private static PersistentSearchRequestControl persistent() {
    return new PersistentSearchRequestControl(
        PersistentSearchChangeType.allChangeTypes(), true, true);
  }

  /** The one that binds by SASL has no business there. */
  private static String client(Received request) {
    for (int number = 0; number < CLIENTS; number++) {
      String op = new String(request.message().op(), StandardCharsets.ISO_8859_1);
      if (op.contains(People.dn(number))) {
        return People.dn(number);
      }
    }
    throw new AssertionError("nobody can have sent " + request);
  }
}
