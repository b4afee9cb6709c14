// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The controls of a response.
 *
 * <p>Immutable (no state).
 */
public final class ResponseControls {
  private static final int CONTROLS = 0xA0;
  private static final byte[] NOTHING = {};

  private ResponseControls() {}

  public static List<Control> decode(LdapMessage response) throws LdapProtocolException {
    if (!response.hasControls()) {
      return List.of();
    }
    BerReader reader = new BerReader(response.body(), ProtocolError.MALFORMED_RESPONSE);
    reader.skip(response.type().tag());
    return List.copyOf(Control.decodeAll(reader, Integer.MAX_VALUE));
  }

  /**
   * The response without its controls of that OID, and without the element that holds them if there
   * are no others; all else is octet for octet what it was. Takes it over, and gives it back as it
   * is if there is no such control, or if the controls cannot be read.
   */
  public static LdapMessage without(LdapMessage response, String oid) {
    if (!response.hasControls()) {
      return response;
    }
    try {
      byte[] others = others(response, oid.getBytes(StandardCharsets.ISO_8859_1));
      return others == null ? response : response.withControls(others);
    } catch (LdapProtocolException e) {
      return response;
    }
  }

  /** The element without such controls; null if there are none. */
  private static byte @Nullable [] others(LdapMessage response, byte[] oid)
      throws LdapProtocolException {
    BerReader reader = new BerReader(response.body(), ProtocolError.MALFORMED_RESPONSE);
    reader.skip(response.type().tag());
    reader.enter(CONTROLS);
    BerWriter others = new BerWriter();
    int element = others.begin(CONTROLS);
    boolean found = false;
    boolean more = false;
    while (reader.hasMore()) {
      byte[] control = reader.element();
      boolean such = isOf(control, oid);
      found |= such;
      more |= !such;
      others.raw(such ? NOTHING : control);
    }
    byte[] kept = others.end(element).toByteArray();
    return found ? (more ? kept : NOTHING) : null;
  }

  private static boolean isOf(byte[] control, byte[] oid) throws LdapProtocolException {
    BerReader reader = new BerReader(control, ProtocolError.MALFORMED_RESPONSE);
    reader.enter(BerReader.SEQUENCE);
    return Arrays.equals(reader.octets(BerReader.OCTET_STRING), oid);
  }
}
