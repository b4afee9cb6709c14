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

/** Controls that limits are about, read and written. Stateless. */
final class SearchControls {
  private static final byte[] NO_COOKIE = {};

  private SearchControls() {}

  /**
   * What a control says of a page (RFC 2696, section 2), in requests and responses alike.
   * Immutable, as long as nobody modifies the array.
   *
   * @param size entries of the page, or an estimate of all of them
   * @param cookie where it begins, or where the next one does; empty for the first and of the last
   */
  record Page(int size, byte[] cookie) {}

  /** The control of an OID; null if there is none. */
  static @Nullable Control find(List<Control> controls, String oid) {
    return controls.stream().filter(control -> control.oid().equals(oid)).findFirst().orElse(null);
  }

  /** What a control says; null if that cannot be read. */
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

  /** The control that says so. */
  static Control page(boolean critical, Page page) {
    BerWriter value = new BerWriter();
    int sequence = value.begin(BerReader.SEQUENCE);
    value.integer(BerReader.INTEGER, page.size).octets(BerReader.OCTET_STRING, page.cookie);
    return new Control(Oids.PAGED, critical, value.end(sequence).toByteArray());
  }

  /** The cookie of a final response; empty if it has none. */
  static byte[] cookie(LdapMessage done) {
    try {
      Control control = find(ResponseControls.decode(done), Oids.PAGED);
      Page page = control == null ? null : page(control);
      return page == null ? NO_COOKIE : page.cookie;
    } catch (LdapProtocolException e) {
      return NO_COOKIE;
    }
  }

  /** How many keys an order has (RFC 2891, section 1.1); 0 if that cannot be read. */
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

  /** Says with a result why it is in no order (RFC 2891, section 1.2). */
  static Control sortResult(int code) {
    BerWriter value = new BerWriter();
    int sequence = value.begin(BerReader.SEQUENCE);
    value.integer(BerReader.ENUMERATED, code);
    return new Control(Oids.SORT_RESPONSE, false, value.end(sequence).toByteArray());
  }
}
