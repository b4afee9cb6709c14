// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.asn1.ASN1StreamReader;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Set;

/**
 * One LDAPMessage exactly as it came: its octets, and where the protocolOp begins in them. Two
 * messages are compared by {@link #body()}: all but the envelope and the messageID.
 */
public record RawMessage(int messageId, int opTag, byte[] octets, int bodyStart) {
  public static final int SEARCH_ENTRY = 0x64;
  public static final int SEARCH_DONE = 0x65;
  public static final int SEARCH_REFERENCE = 0x73;
  public static final int EXTENDED_RESPONSE = 0x78;
  public static final int INTERMEDIATE = 0x79;

  private static final Set<Integer> FINAL =
      Set.of(0x61, SEARCH_DONE, 0x67, 0x69, 0x6b, 0x6d, 0x6f, EXTENDED_RESPONSE);

  public static RawMessage parse(byte[] octets) {
    TlvCursor cursor = new TlvCursor(octets, 0).enter();
    int id = Tlv.unsigned(cursor.content());
    cursor.skip();
    return new RawMessage(id, cursor.tag(), octets, cursor.position());
  }

  /** The protocolOp and the controls, if any. */
  public byte[] body() {
    return Arrays.copyOfRange(octets, bodyStart, octets.length);
  }

  /** The protocolOp alone. */
  public byte[] op() {
    int end = new TlvCursor(octets, bodyStart).skip().position();
    return Arrays.copyOfRange(octets, bodyStart, end);
  }

  public boolean isFinal() {
    return FINAL.contains(opTag);
  }

  /** The result code of a final response. */
  public int resultCode() {
    if (!isFinal()) {
      throw new AssertionError("not a final response: " + this);
    }
    return Tlv.unsigned(new TlvCursor(octets, bodyStart).enter().content());
  }

  /** The message as the SDK reads it. */
  public LDAPMessage decoded() {
    try {
      return LDAPMessage.readFrom(new ASN1StreamReader(new ByteArrayInputStream(octets)), true);
    } catch (LDAPException e) {
      throw new AssertionError("not a message: " + this, e);
    }
  }

  /** Whether the octets contain the text as UTF-8. */
  public boolean mentions(String text) {
    return new String(octets, StandardCharsets.ISO_8859_1)
        .contains(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
  }

  @Override
  public String toString() {
    return "id " + messageId + " op " + HexFormat.of().toHexDigits((byte) opTag) + " " + text();
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (byte octet : body()) {
      text.append(octet >= 0x20 && octet < 0x7f ? (char) octet : '.');
    }
    return text.length() <= 2000 ? text.toString() : text.substring(0, 2000) + "…";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RawMessage message && Arrays.equals(octets, message.octets);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(octets);
  }
}
