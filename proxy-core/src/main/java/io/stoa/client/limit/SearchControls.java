// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.limit;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.PagedResults;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.ResponseControls;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the controls to which limits apply.
 *
 * <p>Threading: stateless.
 */
final class SearchControls {
  private SearchControls() {}

  /** Returns the control with an OID; null if there is none. */
  static @Nullable Control find(List<Control> controls, String oid) {
    return controls.stream().filter(control -> control.oid().equals(oid)).findFirst().orElse(null);
  }

  /** Returns the cookie of a final response; empty if it has none. */
  static byte[] cookie(LdapMessage result) {
    try {
      return PagedResults.cookieOf(ResponseControls.decode(result));
    } catch (LdapProtocolException e) {
      return PagedResults.NO_COOKIE;
    }
  }

  /** Returns the number of sort keys (RFC 2891, section 1.1); 0 if they cannot be parsed. */
  static int sortKeys(Control control) {
    byte[] value = control.value();
    try {
      BerReader reader =
          new BerReader(
              value == null ? PagedResults.NO_COOKIE : value, ProtocolError.MALFORMED_REQUEST);
      reader.enter(BerReader.SEQUENCE);
      int keys = 0;
      while (reader.hasMore()) {
        reader.skip(BerReader.SEQUENCE);
        keys++;
      }
      return keys;
    } catch (LdapProtocolException e) {
      return 0;
    }
  }

  /** Returns the control that says why a result is not sorted (RFC 2891, section 1.2). */
  static Control sortResult(int code) {
    BerWriter value = new BerWriter();
    int sequence = value.begin(BerReader.SEQUENCE);
    value.integer(BerReader.ENUMERATED, code);
    return new Control(Oids.SORT_RESPONSE, false, value.end(sequence).toByteArray());
  }
}
