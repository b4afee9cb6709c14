// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The value of a paged results control (RFC 2696, section 2), in requests and responses:
 *
 * <pre>
 * realSearchControlValue ::= SEQUENCE {
 *     size   INTEGER (0..maxInt), -- requested page size, or estimate of the result size
 *     cookie OCTET STRING }
 * </pre>
 *
 * <p>Threading: immutable; the array must not be modified.
 *
 * @param size entries of the page in a request; an estimate of all entries in a response
 * @param cookie start of this page in a request; start of the next page in a response. Empty for
 *     the first page, and after the last.
 */
public record PagedResults(int size, byte[] cookie) {
  /** The cookie of the first page, and after the last. */
  public static final byte[] NO_COOKIE = {};

  /**
   * Returns the value of the first paged results control; null if there is none with a value.
   *
   * @throws LdapProtocolException if the value is malformed
   */
  public static @Nullable PagedResults of(List<Control> controls) throws LdapProtocolException {
    for (Control control : controls) {
      byte[] value = control.value();
      if (control.oid().equals(Oids.PAGED) && value != null) {
        BerReader reader = new BerReader(value, ProtocolError.MALFORMED_REQUEST);
        int sequence = reader.enter(BerReader.SEQUENCE);
        int size = reader.integer(BerReader.INTEGER);
        byte[] cookie = reader.octets(BerReader.OCTET_STRING);
        reader.finish(sequence);
        return new PagedResults(size, cookie);
      }
    }
    return null;
  }

  /**
   * Returns the cookie of the first paged results control; empty if there is none.
   *
   * @throws LdapProtocolException if the value is malformed
   */
  public static byte[] cookieOf(List<Control> controls) throws LdapProtocolException {
    PagedResults value = of(controls);
    return value == null ? NO_COOKIE : value.cookie;
  }

  /** Returns the control with this value. */
  public Control control(boolean critical) {
    BerWriter value = new BerWriter();
    int sequence = value.begin(BerReader.SEQUENCE);
    value.integer(BerReader.INTEGER, size).octets(BerReader.OCTET_STRING, cookie);
    return new Control(Oids.PAGED, critical, value.end(sequence).toByteArray());
  }
}
