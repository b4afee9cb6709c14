// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.List;

/**
 * Decodes the controls of a response.
 *
 * <p>Threading: stateless.
 */
public final class ResponseControls {
  private ResponseControls() {}

  public static List<Control> decode(LdapMessage response) throws LdapProtocolException {
    if (!response.hasControls()) {
      return List.of();
    }
    BerReader reader = new BerReader(response.body(), ProtocolError.MALFORMED_RESPONSE);
    reader.skip(response.type().tag());
    return List.copyOf(Control.decodeAll(reader, Integer.MAX_VALUE));
  }
}
