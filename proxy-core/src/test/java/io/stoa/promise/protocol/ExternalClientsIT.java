// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.client.listener.ListenerConfig;
import io.stoa.net.tls.ClientAuthentication;
import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.Ds389;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.LdapCommand;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
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
import io.stoa.testing.Slapd;
import io.stoa.testing.SocketRelay;
import io.stoa.testing.Tlv;
import io.stoa.upstream.auth.IdentityConfig;
import io.stoa.upstream.connect.UpstreamTransport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real slapd takes whoever connects as Stoa does, by its local socket or by its certificate, for
 * Stoa's account. Clients ask for EXTERNAL in every way they can, by every door: none of them ever
 * is that account, and none of their binds by EXTERNAL reaches slapd.
 */
class ExternalClientsIT {
  private static final String NAME = "EXTERNAL";
  private static final int UNAVAILABLE = 52;
  private static final int PROTOCOL_ERROR = 2;
  private static final String[] RULES = {
    "certificate CN={user},OU=People,O=Example => dn:uid={user}," + People.PEOPLE,
    "certificate *,DC=example,DC=com => dn:{subject}"
  };
  private static final List<String> NAMES =
      List.of(
          NAME,
          "external",
          "ExTeRnAl",
          "EXTERNAL-PLUS",
          "EXTERNAL\0",
          "EXTERNAL\0x",
          "EXTERNAL ",
          " EXTERNAL",
          "EXTERNAL\n",
          "EXTERNALS",
          "\0EXTERNAL");
  private static final List<String> VALUES =
      List.of(
          "",
          "dn:" + ServiceWatch.DN,
          "dn:CN=Stoa, DC=example, DC=com",
          "u:stoa",
          "stoa",
          "dn:" + People.dn(1),
          "dn:",
          "u:",
          "\0",
          ServiceWatch.DN);
  private static final Pattern LOG_LINE = Pattern.compile("(conn=\\d+ )(op=\\d+) (.*)");

  /** What the first operation of a connection begins with. */
  private static final Pattern FIRST =
      Pattern.compile("op=0 (BIND dn=.*method=\\d+|SRCH base|EXT |CMP |MOD |ADD |DEL )");

  /** A line of slapd's log with which an operation of a client begins. */
  private static final Pattern OPERATION_START =
      Pattern.compile("SRCH base|CMP |MOD dn|ADD |DEL |MODRDN |EXT |WHOAMI|PASSMOD");

  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  private static final Pattern QUESTION =
      Pattern.compile("(EXT oid=" + Pattern.quote(WHO_AM_I) + "|WHOAMI)\\s*");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @TempDir Path directory;

  private final Certificates authority = Certificates.create();

  /** Somebody for whom there is a rule, and two who would be Stoa. */
  private final List<SSLContext> contexts =
      Stream.of("cn=user.1,ou=People,o=Example", ServiceWatch.DN, "cn=proxy,o=Example")
          .map(authority::client)
          .map(authority::clientContext)
          .toList();

  @AfterEach
  void removeFiles() {
    authority.close();
  }

  private Slapd slapd() {
    String known = "authz-regexp \"%s\" \"" + ServiceWatch.DN + "\"\n";
    return Slapd.start(
        People.proxied(5, "to")
            .tls(authority, authority.server())
            .global(
                "sasl-secprops none\n"
                    + known.formatted("^cn=proxy,o=example$")
                    + known.formatted("^gidNumber=.*,cn=peercred,cn=external,cn=auth$")
                    + "authz-regexp uid=([^,]*),cn=.*auth uid=$1,"
                    + People.PEOPLE));
  }

  private ProxySetup before(Slapd slapd, String way, IdentityConfig identity) {
    return before(way.equals("ldapi") ? slapd.ldapiUrl() : slapd.ldapsUrl(), identity);
  }

  private ProxySetup before(String url, IdentityConfig identity) {
    Certificates.Pair own = authority.client("cn=proxy,o=Example");
    TlsConfig tls =
        TlsConfig.DEFAULTS.trusting(authority.ca()).identity(own.certificate(), own.key());
    Certificates.Pair server = authority.server();
    TlsConfig shown = tls.identity(server.certificate(), server.key());
    String path = directory.resolve("ldapi").toString();
    return ProxySetup.beforeUrls(url)
        .upstream("transport", Records.with(UpstreamTransport.DEFAULTS, "tls", tls))
        .upstream("identity", identity)
        .tls(
            Records.with(shown, "clientAuth", ClientAuthentication.REQUEST),
            "127.0.0.1:0",
            "ldaps://127.0.0.1:0",
            new ListenerConfig(ListenerConfig.Protocol.LDAPI, path, 0).toString());
  }

  private IdentityConfig identity(String mode) {
    return switch (mode) {
      case "passThrough" -> IdentityConfig.PASS_THROUGH;
      case "proxied" -> ServiceWatch.identity(directory, RULES);
      default -> ServiceWatch.byPeer(RULES);
    };
  }

  @ParameterizedTest
  @CsvSource({
    "ldapi, passThrough",
    "ldaps, passThrough",
    "ldapi, proxied",
    "ldaps, proxied",
    "ldapi, proxiedByExternal",
    "ldaps, proxiedByExternal"
  })
  void noClientActsAsStoasAccount(String way, String mode) {
    try (Slapd slapd = slapd()) {
      slapd.logOperations();
      attempt(before(slapd, way, identity(mode)));
      Await.until("all has been logged", () -> count(slapd, "ACCEPT") == count(slapd, "closed"));
      List<String> seen = slapd.log().lines().toList();
      assertThat(violations(seen, mode.equals("proxiedByExternal"))).isEmpty();
      assertIsStoaWithoutStoa(slapd);
    }
  }

  /** How many lines of its log are about the beginning, or the end, of a connection. */
  private static long count(Slapd slapd, String what) {
    Pattern line = Pattern.compile("conn=\\d+ fd=\\d+ " + what);
    return slapd.log().lines().filter(one -> line.matcher(one).find()).count();
  }

  /** Whose account knows its peers by their users. */
  @ParameterizedTest
  @ValueSource(strings = {"passThrough", "proxied", "proxiedByExternal"})
  void noClientActsAsStoasAccountOn389Ds(String mode) {
    try (Ds389 server = Ds389.start(People.localDs389(5))) {
      attempt(before(server.ldapiUrl(), identity(mode)));
      LdapCommand.Output direct = whoAmIByPeer(server.ldapiUrl());
      assertThat(direct.text()).contains(ServiceWatch.DN);
    }
  }

  private void attempt(ProxySetup setup) {
    try (RunningProxy proxy = setup.start();
        SocketRelay local = SocketRelay.to(directory.resolve("ldapi"))) {
      for (List<RawRequest> attempt : attempts()) {
        try (RawLdapClient plain = proxy.client();
            RawLdapClient socket = local.client();
            RawLdapClient mapped = byTls(proxy, contexts.get(0));
            RawLdapClient service = byTls(proxy, contexts.get(1));
            RawLdapClient proxys = byTls(proxy, contexts.get(2))) {
          List.of(plain, socket, mapped, service, proxys).forEach(c -> assertNotStoa(c, attempt));
        }
      }
    }
  }

  private LdapCommand.Output whoAmIByPeer(String url) {
    return LdapCommand.run(authority.ca(), "ldapwhoami", "-Q", "-Y", NAME, "-H", url);
  }

  /** Active Directory would take it for bound already. */
  @Test
  void aConnectionWithACertificateStartsAnonymous() {
    try (Slapd slapd = slapd()) {
      slapd.logOperations();
      try (RunningProxy proxy = before(slapd, "ldaps", IdentityConfig.PASS_THROUGH).start();
          RawLdapClient nobody = proxy.client();
          RawLdapClient person = proxy.client().bind(People.dn(1), People.PASSWORD);
          RawLdapClient step = proxy.client()) {
        nobody.call(People.find(1));
        person.call(People.find(1));
        step.call(Requests.saslBind("DIGEST-MD5"));
      }
      List<String> first =
          slapd
              .log()
              .lines()
              .map(FIRST::matcher)
              .filter(Matcher::find)
              .map(m -> m.group(1))
              .toList();
      assertThat(first).hasSizeGreaterThan(4).containsOnly("BIND dn=\"\" method=128");
    }
  }

  /** As 389-ds can be told to. */
  @Test
  void aServerThatForcesExternalIsNotUsed() {
    SSLContext shown = authority.clientContext(authority.server());
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        SocketRelay tls = SocketRelay.tls(shown, upstream.port())) {
      Answer stoa =
          (request, link) ->
              link.send(request.messageId(), Responses.extendedValue("dn: " + ServiceWatch.DN));
      upstream.when(request -> request.is(Received.EXTENDED), stoa);
      ProxySetup setup = before(tls.url(), IdentityConfig.PASS_THROUGH);
      try (RunningProxy proxy = setup.startWithoutUpstream();
          RawLdapClient client = proxy.client()) {
        proxy.awaitReason(1, "force-sasl-external");
        assertThat(client.code(Requests.bind(People.dn(1), "anything"))).isEqualTo(UNAVAILABLE);
      }
      assertThat(upstream.received(request -> request.message().mentions(People.dn(1)))).isEmpty();
      upstream.when(request -> request.is(Received.EXTENDED), Answers.result(PROTOCOL_ERROR));
      try (RunningProxy proxy = setup.start();
          RawLdapClient client = proxy.client()) {
        assertThat(client.code(Requests.bind(People.dn(1), "anything"))).isZero();
      }
    }
  }

  /** Whoever gets through is the account: slapd is set up so. */
  private void assertIsStoaWithoutStoa(Slapd slapd) {
    assertThat(whoAmIByPeer(slapd.ldapiUrl()).text()).contains("dn:" + ServiceWatch.DN);
  }

  private static RawLdapClient byTls(RunningProxy proxy, SSLContext context) {
    int port = proxy.proxy().listeners().get(1).port();
    return RawLdapClient.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port), context);
  }

  /** Sequences of requests of one connection, each with EXTERNAL in some form in it. */
  private static List<List<RawRequest>> attempts() {
    List<RawRequest> externals = new ArrayList<>();
    for (String name : NAMES) {
      externals.add(Requests.saslBindWithoutCredentials(name));
      externals.add(Requests.saslBind(name));
    }
    VALUES.forEach(value -> externals.add(Requests.saslBind(NAME, value)));
    RawRequest good = Requests.bind(People.dn(2), People.PASSWORD);
    RawRequest begun = Requests.saslBind("DIGEST-MD5");
    List<List<RawRequest>> attempts = new ArrayList<>();
    attempts.add(externals);
    List<RawRequest> typical =
        List.of(
            Requests.saslBindWithoutCredentials(NAME),
            Requests.saslBind("external"),
            Requests.saslBind("EXTERNAL\0"),
            Requests.saslBind(NAME, "dn:" + ServiceWatch.DN));
    attempts.add(interleaved(good, typical));
    attempts.add(interleaved(begun, typical));
    oddEncodings().forEach(odd -> attempts.add(List.of(odd, good, odd)));
    return attempts;
  }

  /** A name for the bind, octets behind the credentials, and long forms of lengths. */
  private static List<RawRequest> oddEncodings() {
    byte[] name = Tlv.of(0x04, utf8(NAME));
    byte[] version = Tlv.integer(0x02, 3);
    byte[] empty = Tlv.of(0x04);
    byte[] service = Tlv.of(0x04, utf8(ServiceWatch.DN));
    return List.of(
        bind(version, service, Tlv.of(0xa3, name, empty)),
        bind(version, empty, Tlv.of(0xa3, name, empty, service)),
        bind(version, empty, Tlv.of(0xa3, name), service),
        bind(version, empty, Tlv.ofLongLength(0xa3, 3, Tlv.ofLongLength(0x04, 2, utf8(NAME)))),
        bind(Tlv.integer(0x02, 2), empty, Tlv.of(0xa3, name, empty)));
  }

  private static RawRequest bind(byte[]... content) {
    return new RawRequest(Tlv.of(0x60, content));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<RawRequest> interleaved(RawRequest before, List<RawRequest> requests) {
    return requests.stream().flatMap(request -> List.of(before, request).stream()).toList();
  }

  /** Whatever is answered: after each request the client is somebody else, or gone. */
  private static void assertNotStoa(RawLdapClient client, List<RawRequest> attempt) {
    int id = 0;
    for (RawRequest request : attempt) {
      client.send(++id, request);
      client.send(++id, Requests.whoAmI());
      for (int answers = 0; answers < 2; answers++) {
        Optional<RawMessage> answer = client.next();
        if (answer.isEmpty() || answer.get().messageId() == 0) {
          return;
        }
        assertThat(answer.get().mentions("cn=stoa")).as("%s", answer.get()).isFalse();
        assertThat(answer.get().mentions("cn=proxy")).as("%s", answer.get()).isFalse();
        assertThat(answer.get().mentions("peercred")).as("%s", answer.get()).isFalse();
      }
    }
  }

  /**
   * What slapd took for a bind by EXTERNAL, but for those of Stoa's account, if it binds so itself;
   * and what it was asked after these without being told for whom.
   */
  private static List<String> violations(List<String> log, boolean ofStoa) {
    Set<String> bound = new HashSet<>();
    Set<String> named = new HashSet<>();
    List<String> found = new ArrayList<>();
    for (String line : log) {
      Matcher said = LOG_LINE.matcher(line);
      if (said.find()) {
        String what = said.group(3);
        boolean external = what.contains("mech=EXTERNAL");
        boolean nameless =
            bound.contains(said.group(1))
                && OPERATION_START.matcher(what).lookingAt()
                && !named.contains(said.group(1) + said.group(2));
        if (nameless || (external && !ofStoa)) {
          found.add(line);
        }
        if (external) {
          bound.add(said.group(1));
        } else if (what.startsWith("PROXYAUTHZ")) {
          named.add(said.group(1) + said.group(2));
        }
      }
    }
    assertThat(bound.isEmpty()).isEqualTo(!ofStoa);
    return withoutOwnQuestion(log, found);
  }

  /** Stoa asks once who its account is, over a connection that then ends. */
  private static List<String> withoutOwnQuestion(List<String> log, List<String> found) {
    List<String> others = found.stream().filter(line -> !isLastQuestion(log, line)).toList();
    long asked = found.stream().filter(line -> line.contains(" EXT oid=" + WHO_AM_I)).count();
    return asked == 1 ? others : found;
  }

  private static boolean isLastQuestion(List<String> log, String line) {
    Matcher said = LOG_LINE.matcher(line);
    if (!said.find() || !QUESTION.matcher(said.group(3)).matches()) {
      return false;
    }
    int number = Integer.parseInt(said.group(2).replaceAll("[^0-9]", ""));
    String end = said.group(1) + "op=" + (number + 1) + " UNBIND";
    return log.stream().anyMatch(later -> later.contains(end));
  }
}
