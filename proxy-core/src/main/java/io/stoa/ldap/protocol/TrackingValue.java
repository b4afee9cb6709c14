// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import org.jspecify.annotations.Nullable;

/**
 * The value of a session tracking control (draft-wahl-ldap-session-03, section 2). Stateless.
 *
 * <pre>
 * SEQUENCE {
 *     sessionSourceIp           LDAPString,
 *     sessionSourceName         LDAPString,
 *     formatOID                 LDAPOID,
 *     sessionTrackingIdentifier LDAPString }
 * </pre>
 */
public final class TrackingValue {
  private static final int MOST_ADDRESS = 128;
  private static final int MOST_NAME = 65_536;
  private static final int MOST_OID = 1024;

  private TrackingValue() {}

  /** Whether no server refuses a request because of this value; it has no other effect. */
  public static boolean isHarmless(byte @Nullable [] value) {
    if (value == null) {
      return false;
    }
    BerReader reader = new BerReader(value, ProtocolError.MALFORMED_REQUEST);
    try {
      int sequence = reader.enter(BerReader.SEQUENCE);
      boolean source = text(reader, MOST_ADDRESS) && text(reader, MOST_NAME);
      boolean session = isOid(reader.octets(BerReader.OCTET_STRING)) && text(reader, MOST_NAME);
      reader.finish(sequence);
      reader.expectEnd();
      return source && session;
    } catch (LdapProtocolException e) {
      return false;
    }
  }

  private static boolean text(BerReader reader, int most) throws LdapProtocolException {
    return reader.octets(BerReader.OCTET_STRING).length <= most;
  }

  /** Numbers with a dot between each two of them. */
  private static boolean isOid(byte[] octets) {
    byte before = '.';
    for (byte octet : octets) {
      boolean digit = octet >= '0' && octet <= '9';
      if (!digit && (octet != '.' || before == '.')) {
        return false;
      }
      before = octet;
    }
    return before != '.' && octets.length <= MOST_OID;
  }
}
