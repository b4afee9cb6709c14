// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.tls;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsProvider;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Ldif;
import io.stoa.testing.Pager;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.SocketRelay;
import io.stoa.upstream.connect.UpstreamTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The same conversation with slapd itself, and through Stoa by all ways in and out: the answers are
 * the same, octet for octet but for messageIDs and cookies.
 */
class TransportsIT {
  private static final int PEOPLE = 40;
  private static final int PAGE = 7;
  private static final int LARGE = 5 << 20;
  private static final int READABLE = 5000;
  private static final String LARGE_SUFFIX = "dc=large";
  private static final String NEW = "uid=new," + People.PEOPLE;
  private static final String RENAMED = "uid=renamed," + People.PEOPLE;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Certificates certificates;
  private static Slapd slapd;
  private static List<String> direct;

  @BeforeAll
  static void start() {
    certificates = Certificates.create();
    Ldif large = new Ldif();
    large.entry(
        LARGE_SUFFIX,
        "objectClass: domain",
        "dc: large",
        "description: " + "large".repeat(LARGE / 5));
    SlapdConfig config =
        People.slapd(PEOPLE)
            .database(LARGE_SUFFIX, "", large)
            .tls(certificates, certificates.server());
    slapd = Slapd.start(config);
    try (RawLdapClient client = RawLdapClient.connect(slapd.address())) {
      direct = new Conversation(client).all(() -> {});
    }
  }

  @AfterAll
  static void end() {
    slapd.close();
    certificates.close();
  }

  /** What a client says, and what it hears. */
  private static final class Conversation {
    private final RawLdapClient client;
    private final List<String> received = new ArrayList<>();

    Conversation(RawLdapClient client) {
      this.client = client;
    }

    /**
     * All of it.
     *
     * @param pause what happens while the client says nothing
     */
    List<String> all(Runnable pause) {
      binds();
      searches();
      writes();
      pause.run();
      searches();
      abandon();
      pages();
      call(Requests.bind(People.dn(2), People.PASSWORD));
      searches();
      return received;
    }

    private void call(RawRequest request) {
      client.call(request).forEach(this::addAnswer);
    }

    private void addAnswer(RawMessage message) {
      byte[] body = message.body();
      String text = body.length > READABLE ? "" : message.toString().replaceFirst("id \\d+", "");
      received.add(text + " " + message.opTag() + " " + body.length + " " + Arrays.hashCode(body));
    }

    private void binds() {
      call(People.find(1));
      call(Requests.bind(People.dn(1), "wrong"));
      call(Requests.bind("uid=nobody," + People.PEOPLE, People.PASSWORD));
      call(Requests.bind(People.dn(1), ""));
      call(Requests.bind(People.dn(1), People.PASSWORD));
      call(Requests.whoAmI());
    }

    private void searches() {
      for (int i = 0; i < 2; i++) { // the second time from memory
        call(search(People.SUFFIX).filter("(sn=Number*)").request());
        call(search(People.dn(1)).baseScope().attributes("description").request());
        call(search("ou=none," + People.SUFFIX).request());
        call(search(People.SUFFIX).sizeLimit(3).request());
      }
      call(search(LARGE_SUFFIX).request());
    }

    private void writes() {
      call(Requests.add(NEW, "objectClass: inetOrgPerson", "uid: new", "cn: New", "sn: New"));
      call(Requests.add(NEW, "objectClass: inetOrgPerson", "uid: new", "cn: New", "sn: New"));
      call(Requests.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD));
      call(Requests.add(NEW, "objectClass: inetOrgPerson", "uid: new", "cn: New", "sn: New"));
      call(search(NEW).request());
      call(Requests.replace(NEW, "sn", "Newer"));
      call(search(NEW).request());
      call(Requests.compare(NEW, "sn", "Newer"));
      call(Requests.rename(NEW, "uid=renamed", true));
      call(search(NEW).request());
      call(search(RENAMED).request());
      call(Requests.delete(RENAMED));
      call(search(RENAMED).request());
      call(Requests.bind(People.dn(1), People.PASSWORD));
    }

    /** Of what is abandoned at once some entries may come, but what follows is whole. */
    private void abandon() {
      int id = client.send(search(LARGE_SUFFIX).request());
      client.send(Requests.abandon(id));
      call(search(People.SUFFIX).request());
      client.take(id);
    }

    private void pages() {
      Pager pager = new Pager(client, search(People.PEOPLE).oneLevel().request());
      pager.rest(PAGE).forEach(page -> received.addAll(page.seen(false)));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ldaps, ldaps, AUTO",
    "StartTLS, StartTLS, AUTO",
    "ldaps, StartTLS, AUTO",
    "StartTLS, ldaps, AUTO",
    "ldaps, ldaps, JDK",
    "ldaps, ldapi, AUTO",
    "StartTLS, ldapi, AUTO",
    "ldapi, ldaps, AUTO",
    "ldapi, StartTLS, AUTO"
  })
  void theConversationIsTheSame(String in, String out, TlsProvider provider) {
    Path socket = certificates.directory().resolve("stoa");
    try (RunningProxy proxy = setup(in, out, provider, socket).start()) {
      if (in.equals("ldapi")) {
        try (SocketRelay relay = SocketRelay.to(socket);
            RawLdapClient client = RawLdapClient.connect(relay.address())) {
          assertTheSame(proxy, client);
        }
      } else {
        try (RawLdapClient client = connect(proxy, in)) {
          assertTheSame(proxy, client);
        }
      }
    }
  }

  private static RawLdapClient connect(RunningProxy proxy, String in) {
    return in.equals("ldaps")
        ? RawLdapClient.connect(proxy.address(), certificates.clientContext())
        : proxy.client().startTls(certificates.clientContext());
  }

  private static void assertTheSame(RunningProxy proxy, RawLdapClient client) {
    List<String> heard = new Conversation(client).all(() -> awaitIdleConnectionsClosed(proxy));
    assertThat(heard).isEqualTo(direct);
    assertThat(proxy.cache().filterHits()).isPositive();
  }

  private static void awaitIdleConnectionsClosed(RunningProxy proxy) {
    Await.until(
        "idle connections are closed", () -> proxy.status().backends().get(0).connections() == 0);
  }

  private static ProxySetup setup(String in, String out, TlsProvider provider, Path socket) {
    Certificates.Pair own = certificates.server();
    UpstreamTransport transport =
        Records.with(UpstreamTransport.DEFAULTS, "startTls", out.equals("StartTLS"));
    TlsConfig trusting = TlsConfig.DEFAULTS.trusting(certificates.ca()).provider(provider);
    transport = Records.with(transport, "tls", trusting);
    transport = Records.with(transport, "idleTimeout", Duration.ofMillis(150));
    TlsConfig shown = TlsConfig.DEFAULTS.identity(own.certificate(), own.key()).provider(provider);
    return ProxySetup.beforeUrls(url(out))
        .upstream("transport", transport)
        .maxAge(Duration.ofHours(1))
        .tls(shown, listener(in, socket));
  }

  private static String url(String out) {
    return switch (out) {
      case "ldaps" -> slapd.ldapsUrl();
      case "ldapi" -> slapd.ldapiUrl();
      default -> slapd.url();
    };
  }

  private static String listener(String in, Path socket) {
    return switch (in) {
      case "ldaps" -> "ldaps://127.0.0.1:0";
      case "ldapi" -> "ldapi://" + socket;
      default -> "127.0.0.1:0";
    };
  }
}
