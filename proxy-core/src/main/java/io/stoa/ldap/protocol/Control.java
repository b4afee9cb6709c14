// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A control (RFC 4511, section 4.1.11). Controls are equal if their OIDs, criticalities and the
 * octets of their values are equal.
 *
 * <p>Threading: immutable; the array must not be modified.
 *
 * @param oid one character for each octet received, so that different octets are different OIDs
 * @param value null if absent, which differs from empty
 */
public record Control(String oid, boolean critical, byte @Nullable [] value) {
  private static final int CONTROLS = 0xA0;

  /**
   * Reads the controls element at the end of a body, if there is one.
   *
   * @param limit maximum number of controls
   */
  static List<Control> decodeAll(BerReader reader, int limit) throws LdapProtocolException {
    if (!reader.hasMore()) {
      return List.of();
    }
    int outer = reader.enter(CONTROLS);
    List<Control> controls = reader.listOf(Control::decode, limit);
    reader.finish(outer);
    reader.expectEnd();
    return controls;
  }

  /** Returns the controls element of a message. */
  static byte[] encodeAll(List<Control> controls) {
    BerWriter writer = new BerWriter();
    int outer = writer.begin(CONTROLS);
    controls.forEach(control -> control.encode(writer));
    return writer.end(outer).toByteArray();
  }

  /** Writes the control. A criticality of false is omitted (RFC 4511, section 5.1). */
  private void encode(BerWriter writer) {
    int sequence = writer.begin(BerReader.SEQUENCE);
    writer.octets(BerReader.OCTET_STRING, oid.getBytes(StandardCharsets.ISO_8859_1));
    if (critical) {
      writer.bool(BerReader.BOOLEAN, true);
    }
    if (value != null) {
      writer.octets(BerReader.OCTET_STRING, value);
    }
    writer.end(sequence);
  }

  private static Control decode(BerReader reader) throws LdapProtocolException {
    int outer = reader.enter(BerReader.SEQUENCE);
    byte[] oid = reader.octets(BerReader.OCTET_STRING);
    boolean critical = reader.peekTag() == BerReader.BOOLEAN && reader.bool(BerReader.BOOLEAN);
    byte[] value =
        reader.peekTag() == BerReader.OCTET_STRING ? reader.octets(BerReader.OCTET_STRING) : null;
    reader.leave(outer);
    return new Control(new String(oid, StandardCharsets.ISO_8859_1), critical, value);
  }

  /** Returns the encoded control. */
  byte[] encode() {
    BerWriter writer = new BerWriter();
    int control = writer.begin(BerReader.SEQUENCE);
    writer.octets(BerReader.OCTET_STRING, oid.getBytes(StandardCharsets.ISO_8859_1));
    if (critical) {
      writer.bool(BerReader.BOOLEAN, true);
    }
    if (value != null) {
      writer.octets(BerReader.OCTET_STRING, value);
    }
    return writer.end(control).toByteArray();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Control that
        && critical == that.critical
        && oid.equals(that.oid)
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return 31 * oid.hashCode() + Arrays.hashCode(value);
  }

  /** Returns OID and criticality. The value is omitted, since it may hold secrets. */
  @Override
  public String toString() {
    return "Control[" + oid + (critical ? " critical]" : "]");
  }
}
