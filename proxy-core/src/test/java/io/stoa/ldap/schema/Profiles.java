// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.testing.Tlv;
import java.util.ArrayList;
import java.util.List;

/** Profiles made of definitions as slapd publishes them, for tests without a server. */
public final class Profiles {
  public static final List<String> ATTRIBUTE_TYPES =
      List.of(
          "( 2.5.4.0 NAME 'objectClass' EQUALITY objectIdentifierMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.38 )",
          "( 2.5.4.41 NAME 'name' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15{32768} )",
          "( 2.5.4.3 NAME ( 'cn' 'commonName' ) SUP name )",
          "( 2.5.4.4 NAME ( 'sn' 'surname' ) SUP name )",
          "( 2.5.4.6 NAME ( 'c' 'countryName' ) SUP name"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.11 SINGLE-VALUE )",
          "( 2.5.4.11 NAME ( 'ou' 'organizationalUnitName' ) SUP name )",
          "( 2.5.4.13 NAME 'description' EQUALITY caseIgnoreMatch"
              + " SUBSTR caseExactSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
          "( 2.5.4.20 NAME 'telephoneNumber' EQUALITY telephoneNumberMatch"
              + " SUBSTR telephoneNumberSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.50 )",
          "( 2.5.4.35 NAME 'userPassword' EQUALITY octetStringMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.40{128} )",
          "( 2.5.4.36 NAME 'userCertificate' EQUALITY certificateExactMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.8 )",
          "( 2.5.4.49 NAME 'distinguishedName' EQUALITY distinguishedNameMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.12 )",
          "( 2.5.4.31 NAME 'member' SUP distinguishedName )",
          "( 0.9.2342.19200300.100.1.1 NAME ( 'uid' 'userid' ) EQUALITY caseIgnoreMatch"
              + " SUBSTR caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15{256} )",
          "( 0.9.2342.19200300.100.1.3 NAME ( 'mail' 'rfc822Mailbox' ) EQUALITY caseIgnoreIA5Match"
              + " SUBSTR caseIgnoreIA5SubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.26{256} )",
          "( 0.9.2342.19200300.100.1.25 NAME ( 'dc' 'domainComponent' ) EQUALITY"
              + " caseIgnoreIA5Match SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE )",
          "( 1.3.6.1.1.1.1.0 NAME 'uidNumber' EQUALITY integerMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )",
          "( 1.3.6.1.1.1.1.3 NAME 'homeDirectory' EQUALITY caseExactIA5Match"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE )",
          "( 2.5.18.1 NAME 'createTimestamp' EQUALITY generalizedTimeMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 SINGLE-VALUE NO-USER-MODIFICATION"
              + " USAGE directoryOperation )",
          "( 1.3.6.1.1.16.4 NAME 'entryUUID' EQUALITY UUIDMatch SYNTAX 1.3.6.1.1.16.1"
              + " SINGLE-VALUE NO-USER-MODIFICATION USAGE directoryOperation )",
          "( 1.3.6.1.4.1.4203.666.1.25 NAME 'contextCSN' EQUALITY CSNMatch"
              + " SYNTAX 1.3.6.1.4.1.4203.666.11.2.1{64} USAGE dSAOperation )",
          "( 1.3.6.1.4.1.42.2.27.8.1.19 NAME 'pwdFailureTime' EQUALITY generalizedTimeMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 USAGE directoryOperation )",
          "( 1.1.1.1 NAME 'secretName' SUP name EQUALITY caseExactMatch )",
          "( 1.1.1.2 NAME 'claimedTwice' SUP name )",
          "( 1.1.1.3 NAME 'claimedTwice' EQUALITY caseExactMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
          "( 1.1.1.4 NAME 'loop' SUP loop )",
          "( 1.1.1.5 NAME 'oneOfTwo' SUP name )",
          "( 1.1.1.5 NAME 'otherOfTwo' SUP secretName )",
          "this is no definition");

  public static final List<String> OBJECT_CLASSES =
      List.of(
          "( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn ) )",
          "( 1.1.2.1 NAME ( 'thing' 'stoaThing' ) SUP top AUXILIARY )");

  /** A slapd whose configuration is not known. */
  public static final ServerProfile UNPROVED = profile("objectClass", "OpenLDAProotDSE");

  public static final ServerProfile OPENLDAP = UNPROVED.ofLocal();
  public static final ServerProfile DS389 = profile("vendorName", "389 Project");
  public static final ServerProfile OTHER = profile("vendorName", "Somebody");

  private Profiles() {}

  private static ServerProfile profile(String attribute, String value) {
    SearchEntry rootDse =
        entry(
            "",
            attribute(attribute, List.of(value)),
            attribute("namingContexts", List.of("dc=example,dc=com", "o=Second Tree")),
            attribute("subschemaSubentry", List.of("cn=Subschema")));
    SearchEntry subschema =
        entry(
            "cn=Subschema",
            attribute("ATTRIBUTETYPES", ATTRIBUTE_TYPES),
            attribute("objectClasses", OBJECT_CLASSES));
    return ServerProfile.of(rootDse, subschema);
  }

  public static SearchEntry entry(String dn, byte[]... attributes) {
    try {
      return SearchEntry.parse(SearchEntry.encode(dn.getBytes(UTF_8), List.of(attributes)));
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  public static byte[] attribute(String type, List<String> values) {
    List<byte[]> encoded = new ArrayList<>();
    values.forEach(value -> encoded.add(Tlv.of(0x04, value.getBytes(UTF_8))));
    byte[] set = Tlv.of(0x31, encoded.toArray(byte[][]::new));
    return Tlv.of(0x30, Tlv.of(0x04, type.getBytes(UTF_8)), set);
  }
}
