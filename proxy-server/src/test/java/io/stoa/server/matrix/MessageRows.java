// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static io.stoa.server.matrix.Identities.as;
import static io.stoa.server.matrix.Identities.asManager;
import static io.stoa.testing.Requests.abandon;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.delete;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.search;
import static io.stoa.testing.Requests.unbind;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.stoa.ldap.protocol.Oids;
import io.stoa.server.differential.Script;
import io.stoa.server.differential.ScriptConnection;
import io.stoa.server.differential.StepAction;
import io.stoa.testing.LongForm;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Tlv;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Messages as such: identifiers, octets, controls, and the end of a connection. */
final class MessageRows {
  private static final String UNKNOWN_CONTROL = "1.2.3.4.5.6.7";
  private static final int[] IDS = {1, 1, 127, 128, 65_535, 65_536, Integer.MAX_VALUE - 1, 1};
  private static final int FAR = 77_777;
  private static final int MANY = 300;

  private MessageRows() {}

  static Stream<Row> rows() {
    return Stream.of(
        Row.always("RFC 4511, 4.1.1.1", "reused and large messageIDs", MessageRows::ids),
        Row.always("RFC 4511, 4.1.1", "requests in one segment, or split", MessageRows::segments),
        Row.always("RFC 4511, 5.1", "lengths that are not minimal", MessageRows::longLengths),
        Row.always("RFC 4511, 4.1.11", "unknown controls", MessageRows::unknownControls),
        Row.always("RFC 4511, 4.12", "unknown extended operations", MessageRows::unknownOperations),
        Row.always("RFC 4373", "LBURP", MessageRows::bulkUpdates),
        Row.always("RFC 4511, 4.1.11", "control values, many controls", MessageRows::values),
        Row.always("RFC 4511, 4.1.1", "messages that are not requests", MessageRows::noRequests),
        Row.always("RFC 4511, 5.3", "half-closed connections", MessageRows::halfClosed),
        Row.always("RFC 4511, 4.3", "Unbind", MessageRows::unbinding),
        Row.always("RFC 4511, 4.11", "Abandon", MessageRows::abandoning),
        Row.listed(Oids.CANCEL, "RFC 3909", "Cancel", MessageRows::cancelling),
        Row.always("RFC 3909", "Cancel where it is not supported", MessageRows::cancellingNothing),
        Row.always("RFC 4531", "Turn", MessageRows::turning));
  }

  private static void ids(Script script, Names names) {
    as("alice", script, names);
    for (int id : IDS) {
      script.move(talk -> sendAs(id, talk, names.find("staff3").request()));
    }
  }

  private static List<RawMessage> sendAs(int id, ScriptConnection talk, RawRequest request) {
    talk.client().send(id, request);
    return talk.client().await(id);
  }

  private static void segments(Script script, Names names) {
    as("alice", script, names);
    script.move(talk -> together(talk, names));
    script.move(talk -> torn(talk, names.find("staff4").request()));
    script.move(talk -> together(talk, names));
  }

  private static List<RawMessage> together(ScriptConnection talk, Names names) {
    byte[] octets = new byte[0];
    for (int i = 0; i < 10; i++) {
      octets = Tlv.concat(octets, names.find("staff" + i).request().encode(1000 + i));
    }
    talk.client().sendOctets(octets);
    List<RawMessage> answers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      answers.addAll(talk.client().await(1000 + i));
    }
    return answers;
  }

  private static List<RawMessage> torn(ScriptConnection talk, RawRequest request) {
    talk.client().sendTorn(request.encode(2000), 1);
    return talk.client().await(2000);
  }

  private static void longLengths(Script script, Names names) {
    as("alice", script, names);
    RawRequest find = names.find("staff5").request();
    for (RawRequest request : List.of(find, find.with(new ManageDsaITRequestControl(false)))) {
      for (int i = 0; i < 2; i++) {
        script.move(inLongForm(request));
        script.either(request);
      }
    }
  }

  private static StepAction inLongForm(RawRequest request) {
    return talk -> {
      talk.client().sendOctets(LongForm.of(request.encode(3000)));
      return talk.client().await(3000);
    };
  }

  private static void unknownControls(Script script, Names names) {
    as("alice", script, names);
    for (boolean critical : new boolean[] {false, true}) {
      Control unknown = new Control(UNKNOWN_CONTROL, critical);
      script.either(names.find("staff3").request().with(unknown));
      script.either(search(names.person("staff3")).baseScope().request().with(unknown, unknown));
      script.once(names.addEntry("unknown").with(unknown));
      script.once(extended(Oids.WHO_AM_I).with(unknown));
      script.once(bind(names.person("bob"), "pw-bob").with(unknown));
      asManager(script, names).once(delete(names.entry("unknown")));
      as("alice", script, names);
    }
  }

  private static void unknownOperations(Script script, Names names) {
    as("alice", script, names);
    script.once(extended("1.2.3.4.5.6"));
    script.once(extended("1.2.3.4.5.6", new byte[] {1, 2, 3}));
    script.once(extended(""));
    script.either(names.find("staff3").request());
  }

  private static void bulkUpdates(Script script, Names names) {
    asManager(script, names);
    byte[] style = Tlv.of(0x30, Tlv.of(0x04, "1.3.6.1.1.17.7".getBytes(UTF_8)));
    script.once(extended("1.3.6.1.1.17.1", style));
    script.once(extended("1.3.6.1.1.17.5", Tlv.of(0x30, Tlv.integer(0x02, 1))));
    script.once(extended("1.3.6.1.1.17.3", Tlv.of(0x30, Tlv.integer(0x02, 1))));
    script.either(names.find("staff3").request());
  }

  /** A value that is absent is not one that is empty. */
  private static void values(Script script, Names names) {
    as("alice", script, names);
    RawRequest find = names.find("staff3").request();
    for (String oid : new String[] {Oids.MANAGE_DSA_IT, UNKNOWN_CONTROL, "no oid"}) {
      script.either(find.with(new Control(oid, false)));
      script.either(find.with(new Control(oid, false, new ASN1OctetString())));
      script.either(find.with(new Control(oid, false, new ASN1OctetString("x"))));
    }
    Control[] many = new Control[MANY];
    for (int i = 0; i < many.length; i++) {
      many[i] = new Control(UNKNOWN_CONTROL + "." + i, false);
    }
    script.either(find.with(many)).either(find);
  }

  /** Behind each is a request, since a server may read over what it does not know. */
  private static void noRequests(Script script, Names names) {
    script.otherwise(Difference.NO_REQUEST.name());
    byte[] find = names.find("staff3").request().op();
    byte[] behind = new RawRequest(find).encode(7);
    for (int tag : new int[] {0x7f, 0x61, 0x64, 0x45}) {
      byte[] other = find.clone();
      other[0] = (byte) tag;
      byte[] both = Tlv.concat(new RawRequest(other).encode(5), behind);
      script.on("tag " + tag).move(talk -> talk.attempt(both));
    }
    byte[] zero = Tlv.concat(new RawRequest(find).encode(0), behind);
    script.on("messageID 0").move(talk -> talk.attempt(zero));
  }

  /** What was asked before is answered; then the server closes its half too. */
  private static void halfClosed(Script script, Names names) {
    as("alice", script, names).either(names.find("staff3").request());
    script.move(MessageRows::halfClose);
    script.on("anonymous").either(search("").baseScope().attributes("1.1").request());
    script.move(MessageRows::halfClose);
    script.on("silent").move(MessageRows::halfClose);
  }

  private static List<RawMessage> halfClose(ScriptConnection talk) {
    talk.client().halfClose();
    return talk.drain();
  }

  private static void unbinding(Script script, Names names) {
    as("alice", script, names);
    script.once(unbind());
    as("alice", script, names);
    script.either(names.find("staff3").request());
    script.once(unbind().with(new Control(UNKNOWN_CONTROL, false)));
  }

  private static void abandoning(Script script, Names names) {
    as("alice", script, names);
    script.once(abandon(FAR));
    script.move(talk -> talk.send("all", search(names.people()).request()));
    script.move(talk -> talk.finish("all"));
    script.move(talk -> talk.abandon("all"));
    script.either(names.find("staff3").request());
    script.once(abandon(FAR).with(new Control(UNKNOWN_CONTROL, true)));
    script.either(names.find("staff3").request());
  }

  private static void cancelling(Script script, Names names) {
    as("alice", script, names);
    script.move(talk -> talk.send("find", names.find("staff3").request()));
    script.move(talk -> talk.finish("find"));
    // Until slapd has put an operation away that it has answered, it says tooLate.
    script.either(names.find("staff4").request());
    script.move(talk -> talk.cancel("find"));
    script.once(extended(Oids.CANCEL));
    script.once(extended(Oids.CANCEL, new byte[] {0x30, 0x03, 0x02, 0x01, 0x00}));
    script.once(extended(Oids.CANCEL, new byte[] {0x30, 0x7f}));
    script.either(names.find("staff3").request());
  }

  private static void cancellingNothing(Script script, Names names) {
    byte[] far = Tlv.of(0x30, Tlv.integer(0x02, FAR));
    script.on("anonymous").once(extended(Oids.CANCEL, far));
    as("alice", script, names).once(extended(Oids.CANCEL, far));
  }

  private static void turning(Script script, Names names) {
    byte[] value = Tlv.of(0x30, Tlv.of(0x01, new byte[] {(byte) 0xff}), Tlv.of(0x04));
    script.otherwise(Difference.ROOT_DSE.name());
    as("alice", script, names).once(extended(Oids.TURN, value));
    script.either(names.find("staff3").request());
  }
}
