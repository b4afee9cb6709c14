// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.limit;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
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
  private static final byte[] NO_COOKIE = {};

  private SearchControls() {}

  /**
   * The value of a paged results control (RFC 2696, section 2), in requests and responses.
   *
   * <p>Threading: immutable; the array must not be modified.
   *
   * @param size entries of the page in a request; an estimate of all entries in a response
   * @param cookie start of this page in a request; start of the next page in a response. Empty for
   *     the first page, and after the last.
   */
  record Page(int size, byte[] cookie) {}

  /** Returns the control with an OID; null if there is none. */
  static @Nullable Control find(List<Control> controls, String oid) {
    return controls.stream().filter(control -> control.oid().equals(oid)).findFirst().orElse(null);
  }

  /** Returns the value of a control; null if it cannot be parsed. */
  static @Nullable Page page(Control control) {
    byte[] value = control.value();
    if (value == null) {
      return null;
    }
    try {
      BerReader reader = new BerReader(value, ProtocolError.MALFORMED_REQUEST);
      int sequence = reader.enter(BerReader.SEQUENCE);
      int size = reader.integer(BerReader.INTEGER);
      byte[] cookie = reader.octets(BerReader.OCTET_STRING);
      reader.finish(sequence);
      return new Page(size, cookie);
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  /** Returns the paged results control with this value. */
  static Control page(boolean critical, Page page) {
    BerWriter value = new BerWriter();
    int sequence = value.begin(BerReader.SEQUENCE);
    value.integer(BerReader.INTEGER, page.size).octets(BerReader.OCTET_STRING, page.cookie);
    return new Control(Oids.PAGED, critical, value.end(sequence).toByteArray());
  }

  /** Returns the cookie of a final response; empty if it has none. */
  static byte[] cookie(LdapMessage done) {
    try {
      Control control = find(ResponseControls.decode(done), Oids.PAGED);
      Page page = control == null ? null : page(control);
      return page == null ? NO_COOKIE : page.cookie;
    } catch (LdapProtocolException e) {
      return NO_COOKIE;
    }
  }

  /** Returns the number of sort keys (RFC 2891, section 1.1); 0 if they cannot be parsed. */
  static int sortKeys(Control control) {
    byte[] value = control.value();
    try {
      BerReader reader =
          new BerReader(value == null ? NO_COOKIE : value, ProtocolError.MALFORMED_REQUEST);
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
