// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Tlv;
import io.stoa.testing.TlvCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Cookies whose lengths differ between two directories, or that may be Stoa's own: those of pages
 * and of DirSync. What counts of them is whether there is one. The estimate beside the cookie of a
 * page is left out, since 389-ds counts what its indexes name. The same for SASL challenges, which
 * are made up. Stateless.
 */
final class Cookies {
  private static final String PAGED = "1.2.840.113556.1.4.319";
  private static final String DIRSYNC = "1.2.840.113556.1.4.841";
  private static final Set<String> SHORTENED = Set.of(PAGED, DIRSYNC);
  private static final int BIND_RESPONSE = 0x61;
  private static final int SASL_CREDENTIALS = 0x87;
  private static final int CONTROLS = 0xa0;
  private static final int OCTET_STRING = 0x04;
  private static final int INTEGER = 0x02;
  private static final int SEQUENCE = 0x30;

  private Cookies() {}

  /** The protocolOp and the controls, in which such cookies are a single octet, or none. */
  static byte[] shortened(RawMessage message) {
    if (message.opTag() == BIND_RESPONSE) {
      return withoutChallenge(message);
    }
    if (SHORTENED.stream().noneMatch(message::mentions)) {
      return message.body();
    }
    List<byte[]> controls = new ArrayList<>();
    for (Control control : message.decoded().getControls()) {
      controls.add(shortened(control).encode().encode());
    }
    byte[] op = message.op();
    return controls.isEmpty()
        ? op
        : Tlv.concat(op, Tlv.of(CONTROLS, controls.toArray(byte[][]::new)));
  }

  private static byte[] withoutChallenge(RawMessage message) {
    byte[] op = message.op();
    byte[] body = message.body();
    List<byte[]> parts = new ArrayList<>();
    TlvCursor part = new TlvCursor(op, 0).enter();
    for (; !part.atEnd(); part.skip()) {
      boolean challenge = part.tag() == SASL_CREDENTIALS && part.content().length > 0;
      parts.add(Tlv.of(part.tag(), challenge ? new byte[1] : part.content()));
    }
    byte[] controls = Arrays.copyOfRange(body, op.length, body.length);
    return Tlv.concat(Tlv.of(BIND_RESPONSE, parts.toArray(byte[][]::new)), controls);
  }

  private static Control shortened(Control control) {
    String oid = control.getOID();
    if (!SHORTENED.contains(oid) || control.getValue() == null) {
      return control;
    }
    byte[] value = shortened(control.getValue().getValue(), oid.equals(PAGED));
    return new Control(oid, control.isCritical(), new ASN1OctetString(value));
  }

  private static byte[] shortened(byte[] value, boolean withoutNumbers) {
    List<byte[]> parts = new ArrayList<>();
    TlvCursor part = new TlvCursor(value, 0).enter();
    for (; !part.atEnd(); part.skip()) {
      byte[] content = part.content();
      if (part.tag() == OCTET_STRING) {
        parts.add(Tlv.of(OCTET_STRING, new byte[Math.min(1, content.length)]));
      } else if (part.tag() != INTEGER || !withoutNumbers) {
        parts.add(Tlv.of(part.tag(), content));
      }
    }
    return Tlv.of(SEQUENCE, parts.toArray(byte[][]::new));
  }
}
