// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static io.stoa.server.matrix.Identities.as;
import static io.stoa.testing.Requests.anonymousBind;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.saslBind;
import static io.stoa.testing.Requests.search;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.controls.AuthorizationIdentityRequestControl;
import io.stoa.ldap.protocol.Oids;
import io.stoa.server.differential.Script;
import io.stoa.server.differential.ScriptConnection;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Tlv;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Who a client is: binds, and what tells of it. */
final class BindRows {
  private static final int BIND = 0x60;
  private static final int FIRST_ID = 5000;
  private static final String AUTHZ_ID =
      AuthorizationIdentityRequestControl.AUTHORIZATION_IDENTITY_REQUEST_OID;
  private static final String AUTHZ_ID_RESPONSE = "2.16.840.1.113730.3.4.15";

  private BindRows() {}

  static Stream<Row> rows() {
    return Stream.of(
        Row.always("RFC 4511, 4.2; RFC 4513, 5.1.3", "bind by name and password", BindRows::binds),
        Row.always("RFC 4513, 5.1.1", "anonymous bind", BindRows::anonymous),
        Row.always("RFC 4513, 5.1.2", "unauthenticated bind", BindRows::unauthenticated),
        Row.always("RFC 4511, 4.2.1", "consecutive binds", BindRows::rebinds),
        Row.always("RFC 4511, 4.2.1", "requests sent before the bind is answered", BindRows::behind)
            .onlyOn(RootDse::openLdap),
        Row.always("RFC 4513, 4", "identity after a failed bind", BindRows::failedRebinds),
        Row.always("RFC 4511, 4.2", "LDAP versions other than 3", BindRows::versions),
        Row.always("RFC 4511, 4.2", "methods other than simple and SASL", BindRows::methods),
        Row.always("RFC 4513, 5.2", "unknown SASL mechanisms", BindRows::unknownMechanisms),
        Row.listed(Oids.WHO_AM_I, "RFC 4532", "Who am I?", BindRows::whoAmI),
        Row.listed(AUTHZ_ID, "RFC 3829", "authorization identity", BindRows::authorizationIdentity)
            .also(AUTHZ_ID_RESPONSE)
            .or(RootDse::openLdap),
        Row.always("MS-ADTS, 5.1.1.1.1", "bind by a name that is no DN", BindRows::otherNames)
            .onlyOn(RootDse::activeDirectory));
  }

  /** Reads something that not everybody may read. */
  private static void addReads(Script script, Names names) {
    script.either(search(names.person("alice")).baseScope().attributes("description").request());
    script.either(search(names.person("bob")).baseScope().attributes("description").request());
  }

  private static void binds(Script script, Names names) {
    String alice = names.person("alice");
    script.on("client").once(bind(alice, "pw-alice"));
    addReads(script, names);
    script.once(bind(alice.toUpperCase(Locale.ROOT), "pw-alice"));
    addReads(script, names);
    for (String password : new String[] {"wrong", "pw-alice ", "PW-ALICE"}) {
      script.once(bind(alice, password));
    }
    script.once(bind(names.person("nobody"), "pw"));
    script.once(bind("cn=x,dc=unknown", "pw"));
    script.once(bind("no name", "pw"));
    script.once(bind(names.people(), "pw"));
    script.once(bind(alice, "pw-alice"));
    addReads(script, names);
  }

  private static void anonymous(Script script, Names names) {
    script.on("client");
    addReads(script, names);
    script.once(anonymousBind());
    addReads(script, names);
    as("alice", script, names);
    addReads(script, names);
    script.once(anonymousBind());
    addReads(script, names);
  }

  private static void unauthenticated(Script script, Names names) {
    script.on("client").once(bind(names.person("alice"), ""));
    addReads(script, names);
    script.once(bind(names.person("nobody"), ""));
    script.once(bind("no name", ""));
    script.once(bind("", "password"));
    addReads(script, names);
  }

  private static void rebinds(Script script, Names names) {
    script.on("client");
    for (int i = 0; i < 2; i++) {
      script.once(bind(names.person("alice"), "pw-alice"));
      addReads(script, names);
      script.once(bind(names.person("bob"), "pw-bob"));
      addReads(script, names);
    }
  }

  /** Sent at once: a bind takes effect for what is behind it; 389-ds begins that too early. */
  private static void behind(Script script, Names names) {
    RawRequest own = search(names.person("alice")).baseScope().attributes("description").request();
    script.on("client");
    for (String who : new String[] {"alice", "bob", "alice"}) {
      RawRequest bind = bind(names.person(who), "pw-" + who);
      List<RawRequest> requests = List.of(bind, own, own);
      script.move(talk -> together(talk, requests));
    }
  }

  private static List<RawMessage> together(ScriptConnection talk, List<RawRequest> requests) {
    byte[] octets = new byte[0];
    for (int i = 0; i < requests.size(); i++) {
      octets = Tlv.concat(octets, requests.get(i).encode(FIRST_ID + i));
    }
    talk.client().sendOctets(octets);
    List<RawMessage> answers = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      answers.addAll(talk.client().await(FIRST_ID + i));
    }
    return answers;
  }

  private static void failedRebinds(Script script, Names names) {
    script.otherwise(Difference.FAILED_BIND.name());
    for (String[] failing :
        new String[][] {
          {names.person("alice"), "wrong"}, {names.person("bob"), ""}, {"no name", "pw"}
        }) {
      as("alice", script, names).once(bind(failing[0], failing[1]));
      addReads(script, names);
    }
    as("alice", script, names).once(saslBind("NO-SUCH-MECHANISM"));
    addReads(script, names);
  }

  private static void versions(Script script, Names names) {
    script.otherwise(Difference.OTHER_BINDS.name());
    byte[] name = names.person("alice").getBytes(UTF_8);
    for (int version : new int[] {1, 2, 4, 127}) {
      script.on("version " + version);
      RawRequest nobody = bindOf(version, new byte[0], Tlv.of(0x80));
      script.move(talk -> talk.attempt(nobody));
      RawRequest alice = bindOf(version, name, Tlv.of(0x80, "pw-alice".getBytes(UTF_8)));
      script.move(talk -> talk.attempt(alice));
      addReads(script, names);
    }
  }

  private static void methods(Script script, Names names) {
    script.otherwise(Difference.OTHER_BINDS.name());
    for (int tag : new int[] {0x81, 0x82, 0x84, 0xa9}) {
      RawRequest bind = bindOf(3, new byte[0], Tlv.of(tag));
      script.on("method " + tag).move(talk -> talk.attempt(bind));
    }
  }

  private static RawRequest bindOf(int version, byte[] name, byte[] authentication) {
    return new RawRequest(
        Tlv.of(BIND, Tlv.integer(0x02, version), Tlv.of(0x04, name), authentication));
  }

  private static void unknownMechanisms(Script script, Names names) {
    script.on("client").once(saslBind("NO-SUCH-MECHANISM"));
    addReads(script, names);
    script.otherwise(Difference.OTHER_BINDS.name()).once(saslBind(""));
  }

  private static void whoAmI(Script script, Names names) {
    script.on("client").once(extended(Oids.WHO_AM_I));
    as("alice", script, names).once(extended(Oids.WHO_AM_I));
    as("bob", script, names).once(extended(Oids.WHO_AM_I));
    script.on("alice").once(extended(Oids.WHO_AM_I));
    script.once(bind(names.person("bob"), "wrong")).once(extended(Oids.WHO_AM_I));
    script.once(extended(Oids.WHO_AM_I, new byte[0]));
  }

  private static void authorizationIdentity(Script script, Names names) {
    script.on("client");
    for (boolean critical : new boolean[] {false, true}) {
      var control = new AuthorizationIdentityRequestControl(critical);
      script.once(bind(names.person("alice"), "pw-alice").with(control));
      script.once(bind(names.person("alice"), "wrong").with(control));
      script.once(anonymousBind().with(control));
      for (String mechanism : new String[] {"PLAIN", "DIGEST-MD5", "SCRAM-SHA-256"}) {
        saslIdentity(script, names, mechanism, control);
      }
    }
    addReads(script, names);
  }

  /**
   * Stoa asks the server who the client is by itself, whatever the client is told with the bind.
   * slapd does not know the control, and refuses it where it is critical.
   */
  private static void saslIdentity(
      Script script, Names names, String mechanism, AuthorizationIdentityRequestControl control) {
    SaslLogin right = new SaslLogin(mechanism, "alice", "pw-alice", control);
    script.move(talk -> control.isCritical() ? right.on(talk) : right.grantedOn(talk));
    addReads(script, names);
    script.once(extended(Oids.WHO_AM_I));
    script.move(talk -> new SaslLogin(mechanism, "alice", "wrong", control).on(talk));
    addReads(script, names);
    script.once(extended(Oids.WHO_AM_I));
  }

  private static void otherNames(Script script, Names names) {
    script.on("client");
    String[] spellings = {"alice@example.com", "ALICE@EXAMPLE.COM", "EXAMPLE\\alice"};
    for (String name : spellings) {
      script.once(bind(name, "wrong"));
      script.once(bind(name, "pw-alice"));
      addReads(script, names);
    }
    script.once(bind("alice", "pw-alice"));
  }
}
