// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.ProtocolError;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;

/**
 * Adds the proxied authorization control (RFC 4370) to a client's request, and checks for it.
 *
 * <p>The control goes before the client's own controls, which keep their octets and order. Servers
 * use the first such control that they find.
 *
 * <p>Threading: thread-safe; no state.
 */
public final class ProxiedControl {
  private static final int CONTROLS = 0xA0;
  private static final byte[] OID = ascii(Oids.PROXIED_AUTHZ_V2);
  private static final Set<Octets> OF_OTHERS =
      Set.of(Octets.of(OID), Octets.of(ascii(Oids.PROXIED_AUTHZ_V1)));

  private ProxiedControl() {}

  /**
   * Returns the request with the control added, in a new buffer.
   *
   * @param body the protocolOp and the controls; its indices are unchanged
   * @param opLength octets of the protocolOp
   * @param authzId authorization identity for the request
   */
  public static ByteBuf putOn(ByteBuf body, int opLength, Octets authzId) {
    byte[] control = encode(authzId);
    int start = body.readerIndex();
    int own = start + opLength;
    int controls = body.writerIndex() == own ? own : content(body, own);
    int rest = body.writerIndex() - controls;
    int size = opLength + control.length + rest + 6;
    ByteBuf extended = body.alloc().directBuffer(size, size);
    extended.writeBytes(body, start, opLength);
    BerWriter.writeHeader(extended, CONTROLS, control.length + rest);
    return extended.writeBytes(control).writeBytes(body, controls, rest);
  }

  private static int content(ByteBuf body, int element) {
    long header = BerReader.header(body, element + 1, body.writerIndex());
    return element + 1 + BerReader.lengthOctets(header);
  }

  private static byte[] encode(Octets authzId) {
    BerWriter control = new BerWriter(OID.length + authzId.length() + 16);
    int sequence = control.begin(BerReader.SEQUENCE);
    control.octets(BerReader.OCTET_STRING, OID).bool(BerReader.BOOLEAN, true);
    return control.octets(BerReader.OCTET_STRING, authzId.array()).end(sequence).toByteArray();
  }

  /**
   * True if a request is authorized as this identity and no other. Its first control must be this
   * one, critical. No further control may have an OID that a server could take for a control of
   * this kind.
   */
  public static boolean isOn(ByteBuf body, Octets authzId) {
    try {
      BerReader reader = new BerReader(body, ProtocolError.MALFORMED_REQUEST);
      reader.skipElement();
      int outer = reader.enter(CONTROLS);
      boolean named = names(reader, authzId);
      while (named && reader.hasMore()) {
        named = isHarmless(reader);
      }
      if (named) {
        reader.finish(outer);
        reader.expectEnd();
      }
      return named;
    } catch (LdapProtocolException e) {
      return false;
    }
  }

  private static boolean names(BerReader reader, Octets authzId) throws LdapProtocolException {
    int control = reader.enter(BerReader.SEQUENCE);
    boolean named =
        Arrays.equals(OID, reader.octets(BerReader.OCTET_STRING))
            && reader.bool(BerReader.BOOLEAN)
            && Arrays.equals(authzId.array(), reader.octets(BerReader.OCTET_STRING));
    if (named) {
      reader.finish(control);
    }
    return named;
  }

  private static boolean isHarmless(BerReader reader) throws LdapProtocolException {
    int control = reader.enter(BerReader.SEQUENCE);
    byte[] oid = reader.octets(BerReader.OCTET_STRING);
    if (reader.peekTag() == BerReader.BOOLEAN) {
      reader.bool(BerReader.BOOLEAN);
    }
    if (reader.hasMore()) {
      reader.skip(BerReader.OCTET_STRING);
    }
    reader.finish(control);
    return isPlain(oid) && !OF_OTHERS.contains(Octets.of(oid));
  }

  /**
   * True if the OID is in canonical form. Some servers stop at a NUL or a space, or drop leading
   * zeros.
   */
  private static boolean isPlain(byte[] oid) {
    byte before = '.';
    boolean leadingZero = false;
    for (byte octet : oid) {
      boolean digit = octet >= '0' && octet <= '9';
      boolean separates = octet == '.' && before != '.';
      if ((!digit && !separates) || (digit && leadingZero)) {
        return false;
      }
      leadingZero = octet == '0' && before == '.';
      before = octet;
    }
    return before != '.';
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
