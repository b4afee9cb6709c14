// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.Schema;
import io.stoa.ldap.schema.ServerProfile;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What the servers tell of themselves: as slapd, with the attributes that there are. Stateless. */
final class SimSchema {
  static final ServerProfile PROFILE;
  static final Schema RULES;

  private static final String TEXT = "1.3.6.1.4.1.1466.115.121.1.15";
  private static final String TEXT_RULES =
      " EQUALITY caseIgnoreMatch ORDERING caseIgnoreOrderingMatch"
          + " SUBSTR caseIgnoreSubstringsMatch SYNTAX "
          + TEXT;
  private static final String DN_RULES =
      " EQUALITY distinguishedNameMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.12";
  private static final String SERVERS_OWN = " SINGLE-VALUE NO-USER-MODIFICATION";

  private static final List<String> TYPES =
      List.of(
          "( 2.5.4.0 NAME 'objectClass' EQUALITY objectIdentifierMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.38 )",
          "( 2.5.4.3 NAME 'cn'" + TEXT_RULES + " )",
          "( 2.5.4.7 NAME 'l'" + TEXT_RULES + " )",
          "( 2.5.4.5 NAME 'serialNumber'" + TEXT_RULES + " )",
          "( 2.5.4.11 NAME 'ou'" + TEXT_RULES + " )",
          "( 0.9.2342.19200300.100.1.1 NAME 'uid'" + TEXT_RULES + " )",
          "( 0.9.2342.19200300.100.1.25 NAME 'dc' EQUALITY caseIgnoreIA5Match"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE )",
          "( 2.5.4.20 NAME 'telephoneNumber' EQUALITY telephoneNumberMatch"
              + " SUBSTR telephoneNumberSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.50 )",
          "( 2.5.4.31 NAME 'member'" + DN_RULES + " )",
          "( 1.2.840.113556.1.2.102 NAME 'memberOf'" + DN_RULES + " USAGE dSAOperation )",
          "( 2.5.18.9 NAME 'hasSubordinates' EQUALITY booleanMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.7"
              + SERVERS_OWN
              + " USAGE directoryOperation )",
          "( 1.3.6.1.1.16.4 NAME 'entryUUID' EQUALITY UUIDMatch ORDERING UUIDOrderingMatch"
              + " SYNTAX 1.3.6.1.1.16.1"
              + SERVERS_OWN
              + " USAGE directoryOperation )",
          "( 1.3.6.1.4.1.4203.666.1.7 NAME 'entryCSN' EQUALITY CSNMatch ORDERING CSNOrderingMatch"
              + " SYNTAX 1.3.6.1.4.1.4203.666.11.2.1{64}"
              + SERVERS_OWN
              + " USAGE directoryOperation )");

  private static final List<String> CLASSES =
      List.of(
          "( 2.5.6.0 NAME 'top' ABSTRACT MUST objectClass )",
          "( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST cn )",
          "( 2.5.6.5 NAME 'organizationalUnit' SUP top STRUCTURAL MUST ou )",
          "( 2.5.6.9 NAME 'groupOfNames' SUP top STRUCTURAL MUST ( member $ cn ) )",
          "( 0.9.2342.19200300.100.4.13 NAME 'domain' SUP top STRUCTURAL MUST dc )");

  static {
    SearchEntry root =
        entry(
            "",
            List.of(
                attribute("objectClass", List.of("OpenLDAProotDSE")),
                attribute("namingContexts", List.of(SimNames.SUFFIX))));
    SearchEntry subschema =
        entry(
            "cn=Subschema",
            List.of(attribute("attributeTypes", TYPES), attribute("objectClasses", CLASSES)));
    PROFILE = ServerProfile.of(root, subschema).ofLocal();
    RULES = PROFILE.evaluationSchema();
  }

  private SimSchema() {}

  static byte[] attribute(String type, List<String> values) {
    return SearchEntry.encodeAttribute(
        octets(type), values.stream().map(SimSchema::octets).toList());
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static SearchEntry entry(String dn, List<byte[]> attributes) {
    try {
      return SearchEntry.parse(SearchEntry.encode(octets(dn), attributes));
    } catch (LdapProtocolException e) {
      throw new AssertionError("the reported octets are no entry", e);
    }
  }
}
