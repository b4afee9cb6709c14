// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static io.stoa.server.matrix.Identities.as;
import static io.stoa.server.matrix.Identities.asManager;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.delete;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.rename;
import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.whoAmI;

import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.stoa.server.differential.Script;
import io.stoa.server.differential.StepAction;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Tlv;
import io.stoa.testing.TlvCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * Elements with unknown tags behind the last known one of a SEQUENCE. Samba ends the connection
 * over every one of them. slapd is not sent three of them: it takes an OCTET STRING behind the
 * controls for the value of the last control, ends the connection over an element in a control, and
 * does not answer an addition with an element behind the values of an attribute. Stateless.
 */
final class ExtensibilityRows {
  private static final int ID = 4000;

  /** Of the classes universal, context and private, primitive and constructed, one long tag. */
  private static final List<byte[]> UNKNOWN =
      List.of(
          Tlv.hex("a1 00"), Tlv.hex("0c 01 78"), Tlv.hex("8a 00"), Tlv.hex("bf 81 01 02 05 00"));

  private ExtensibilityRows() {}

  static Stream<Row> rows() {
    return Stream.of(
        row("unknown elements at the end of a message", ExtensibilityRows::messages),
        row("unknown elements at the end of a read", ExtensibilityRows::reads),
        row("unknown elements at the end of a write", ExtensibilityRows::writes));
  }

  private static Row row(String subject, BiConsumer<Script, Names> steps) {
    return Row.always("RFC 4511, 4", subject, steps).onlyOn(server -> !server.activeDirectory());
  }

  private static void messages(Script script, Names names) {
    RawRequest find = names.find("staff3").request();
    as("alice", script, names).either(find);
    for (byte[] element : UNKNOWN) {
      script.move(with(find, element));
      script.move(with(find.with(new ManageDsaITRequestControl(false)), element));
    }
    script.move(with(bind(names.person("bob"), names.password("bob")), UNKNOWN.get(0)));
    script.move(with(whoAmI(), UNKNOWN.get(0))).either(find);
  }

  private static void reads(Script script, Names names) {
    RawRequest find = names.find("staff3").request();
    as("alice", script, names).either(find);
    for (byte[] element : UNKNOWN) {
      script.move(with(find, element, 1));
    }
    byte[] element = UNKNOWN.get(0);
    script.move(with(find, element, 1, 6));
    script.move(with(compare(names.person("staff3"), "cn", "x"), element, 1));
    script.move(with(compare(names.person("staff3"), "cn", "x"), element, 1, 1));
    script.move(with(extended("1.2.3.4.5.6"), element, 1));
    script.move(with(bind(names.person("bob"), names.password("bob")), element, 1));
    script.either(find);
  }

  private static void writes(Script script, Names names) {
    asManager(script, names);
    byte[] element = UNKNOWN.get(0);
    String entry = names.entry("tails");
    script.move(with(names.addEntry("tails"), element, 1));
    script.either(names.written().request());
    RawRequest change = replace(entry, "description", "behind");
    script.move(with(change, element, 1));
    script.move(with(change, element, 1, 1, 0));
    script.move(with(change, element, 1, 1, 0, 1));
    script.either(names.written().request());
    script.move(with(rename(entry, "cn=tails3", true), element, 1));
    script.either(names.written().request());
    script.once(delete(names.entry("tails3")));
  }

  /** Sends the request with the element at the end of the SEQUENCE to which the path leads. */
  private static StepAction with(RawRequest request, byte[] element, int... path) {
    byte[] octets = longer(request.encode(ID), element, path, 0);
    return talk -> talk.attempt(octets);
  }

  private static byte[] longer(byte[] sequence, byte[] element, int[] path, int depth) {
    List<byte[]> parts = new ArrayList<>();
    TlvCursor cursor = new TlvCursor(sequence, 0).enter();
    while (!cursor.atEnd()) {
      int start = cursor.position();
      byte[] part = Arrays.copyOfRange(sequence, start, cursor.skip().position());
      boolean way = depth < path.length && parts.size() == path[depth];
      parts.add(way ? longer(part, element, path, depth + 1) : part);
    }
    if (depth == path.length) {
      parts.add(element);
    }
    return Tlv.of(sequence[0] & 0xff, parts.toArray(byte[][]::new));
  }
}
