// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static io.stoa.server.matrix.Identities.as;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.saslBind;
import static io.stoa.testing.Requests.search;

import com.unboundid.util.ssl.SSLUtil;
import com.unboundid.util.ssl.TrustAllTrustManager;
import io.stoa.ldap.protocol.Oids;
import io.stoa.server.differential.Script;
import io.stoa.server.differential.ScriptConnection;
import io.stoa.testing.Await;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/** StartTLS, and SASL mechanism by mechanism. */
final class SecurityRows {
  private SecurityRows() {}

  static Stream<Row> rows() {
    return Stream.of(
        Row.listed(Oids.START_TLS, "RFC 4511, 4.14", "StartTLS", SecurityRows::startTls),
        Row.listed("PLAIN", "RFC 4616", "SASL PLAIN", SecurityRows::plain),
        Row.listed("ANONYMOUS", "RFC 4505", "SASL ANONYMOUS", SecurityRows::anonymous),
        challenged("CRAM-MD5", "RFC 2195"),
        challenged("DIGEST-MD5", "RFC 2831"),
        challenged("SCRAM-SHA-1", "RFC 5802"),
        challenged("SCRAM-SHA-256", "RFC 7677"),
        Row.always("RFC 4422, A", "SASL EXTERNAL", SecurityRows::external));
  }

  private static Row challenged(String mechanism, String specification) {
    return Row.listed(
        mechanism,
        specification,
        "SASL " + mechanism,
        (script, names) -> challenged(script, names, mechanism));
  }

  private static void addReads(Script script, Names names) {
    script.once(extended(Oids.WHO_AM_I));
    script.either(search(names.person("alice")).baseScope().attributes("description").request());
    script.either(search(names.person("bob")).baseScope().attributes("description").request());
  }

  /** Of whoever is somebody before it, and of whoever is not. */
  private static void startTls(Script script, Names names) {
    secure(script.on("client"));
    addReads(script, names);
    script.once(bind(names.person("alice"), "pw-alice"));
    addReads(script, names);
    script.once(bind(names.person("bob"), "wrong"));
    addReads(script, names);
    as("alice", script, names);
    addReads(script, names);
    secure(script);
    addReads(script, names);
    script.once(bind(names.person("bob"), "pw-bob"));
    addReads(script, names);
    script.otherwise(Difference.ROOT_DSE.name());
    script.once(extended(Oids.START_TLS, new byte[] {1}));
    script.documented("");
    addReads(script, names);
  }

  /** Servers word their consent differently. */
  private static void secure(Script script) {
    script.otherwise(Difference.ROOT_DSE.name()).move(SecurityRows::begin).documented("");
  }

  /**
   * Starts TLS. slapd may count an operation as in flight after its response was received. Then
   * slapd refuses StartTLS, and the request is repeated.
   */
  private static List<RawMessage> begin(ScriptConnection talk) {
    AtomicReference<List<RawMessage>> answer = new AtomicReference<>(List.of());
    Await.until(
        "no operation of the connection is in flight",
        () -> {
          answer.set(talk.call(extended(Oids.START_TLS)));
          return !isOutstanding(RawLdapClient.last(answer.get()));
        });
    if (RawLdapClient.last(answer.get()).resultCode() == 0) {
      talk.client().handshake(anyServer());
    }
    return answer.get();
  }

  private static boolean isOutstanding(RawMessage refusal) {
    return new String(refusal.body(), StandardCharsets.UTF_8)
        .contains("operations are outstanding");
  }

  private static SSLContext anyServer() {
    try {
      return new SSLUtil(new TrustAllTrustManager()).createSSLContext();
    } catch (GeneralSecurityException e) {
      throw new AssertionError("no TLS", e);
    }
  }

  private static void plain(Script script, Names names) {
    script.on("client").move(talk -> new SaslLogin("PLAIN", "alice", "pw-alice").grantedOn(talk));
    addReads(script, names);
    for (String credentials :
        new String[] {
          "\0bob\0pw-bob",
          "\0nobody\0x",
          "dn:" + names.person("bob") + "\0alice\0pw-alice",
          "dn:" + names.person("alice") + "\0alice\0pw-alice",
          "alice",
          "\0alice\0",
          "\0alice\0wrong"
        }) {
      script.once(saslBind("PLAIN", credentials));
      addReads(script, names);
    }
    script.otherwise(Difference.FAILED_BIND.name()).once(saslBind("PLAIN", "\0bob\0pw-bob"));
    addReads(script, names);
    script.documented("").once(saslBind("plain", "\0alice\0pw-alice"));
    addReads(script, names);
  }

  private static void anonymous(Script script, Names names) {
    script.on("client").once(saslBind("ANONYMOUS", "somebody@example.org"));
    addReads(script, names);
    as("alice", script, names).once(saslBind("ANONYMOUS"));
    addReads(script, names);
  }

  private static void challenged(Script script, Names names, String mechanism) {
    script.on("client").move(talk -> new SaslLogin(mechanism, "alice", "pw-alice").grantedOn(talk));
    addReads(script, names);
    for (String[] login :
        new String[][] {
          {"alice", "wrong"},
          {"bob", "pw-bob"},
          {"nobody", "x"},
          {"alice", "pw-alice"}
        }) {
      script.move(talk -> new SaslLogin(mechanism, login[0], login[1]).on(talk));
      addReads(script, names);
    }
    script.once(saslBind(mechanism)).once(bind(names.person("bob"), "pw-bob"));
    addReads(script, names);
  }

  /** Nobody has shown who he is: there is no certificate. */
  private static void external(Script script, Names names) {
    script.otherwise(Difference.ROOT_DSE.name());
    script.on("client").once(saslBind("EXTERNAL"));
    script.once(saslBind("EXTERNAL", "dn:" + names.person("alice")));
    script.documented("");
    addReads(script, names);
  }
}
