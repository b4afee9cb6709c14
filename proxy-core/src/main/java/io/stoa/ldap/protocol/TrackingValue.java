// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import org.jspecify.annotations.Nullable;

/**
 * The value of a session tracking control (draft-wahl-ldap-session-03, section 2).
 *
 * <pre>
 * SEQUENCE {
 *     sessionSourceIp           LDAPString,
 *     sessionSourceName         LDAPString,
 *     formatOID                 LDAPOID,
 *     sessionTrackingIdentifier LDAPString }
 * </pre>
 *
 * <p>Threading: stateless.
 */
public final class TrackingValue {
  private static final int MAX_ADDRESS = 128;
  private static final int MAX_NAME = 65_536;
  private static final int MAX_OID = 1024;

  private TrackingValue() {}

  /**
   * True if no server rejects a request because of this value. The value has no other effect on the
   * response.
   */
  public static boolean isHarmless(byte @Nullable [] value) {
    if (value == null) {
      return false;
    }
    BerReader reader = new BerReader(value, ProtocolError.MALFORMED_REQUEST);
    try {
      int sequence = reader.enter(BerReader.SEQUENCE);
      boolean source = text(reader, MAX_ADDRESS) && text(reader, MAX_NAME);
      boolean session = isOid(reader.octets(BerReader.OCTET_STRING)) && text(reader, MAX_NAME);
      reader.finish(sequence);
      reader.expectEnd();
      return source && session;
    } catch (LdapProtocolException e) {
      return false;
    }
  }

  private static boolean text(BerReader reader, int maxLength) throws LdapProtocolException {
    return reader.octets(BerReader.OCTET_STRING).length <= maxLength;
  }

  /** True for numbers separated by single dots. */
  private static boolean isOid(byte[] octets) {
    byte previous = '.';
    for (byte octet : octets) {
      boolean digit = octet >= '0' && octet <= '9';
      if (!digit && (octet != '.' || previous == '.')) {
        return false;
      }
      previous = octet;
    }
    return previous != '.' && octets.length <= MAX_OID;
  }
}
