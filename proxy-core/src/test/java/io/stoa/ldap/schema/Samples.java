// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.SearchEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Schemas, entries and queries for tests without a server. Immutable. */
public final class Samples {
  private static final List<String> TYPES =
      List.of(
          "( 2.5.4.0 NAME 'objectClass' EQUALITY objectIdentifierMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.38 )",
          "( 2.5.4.41 NAME 'name' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15{32768} )",
          "( 2.5.4.3 NAME ( 'cn' 'commonName' ) SUP name )",
          "( 2.5.4.4 NAME ( 'sn' 'surname' ) SUP name )",
          "( 2.5.4.11 NAME 'ou' SUP name )",
          "( 2.5.4.6 NAME 'c' SUP name SYNTAX 1.3.6.1.4.1.1466.115.121.1.11 SINGLE-VALUE )",
          "( 2.5.4.20 NAME 'telephoneNumber' EQUALITY telephoneNumberMatch"
              + " SUBSTR telephoneNumberSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.50 )",
          "( 2.5.4.35 NAME 'userPassword' EQUALITY octetStringMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )",
          "( 2.5.4.49 NAME 'distinguishedName' EQUALITY distinguishedNameMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.12 )",
          "( 2.5.4.31 NAME 'member' SUP distinguishedName )",
          "( 1.2.840.113556.1.2.102 NAME 'memberOf' EQUALITY distinguishedNameMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.12 USAGE dSAOperation )",
          "( 0.9.2342.19200300.100.1.1 NAME ( 'uid' 'userid' ) EQUALITY caseIgnoreMatch"
              + " SUBSTR caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
          "( 0.9.2342.19200300.100.1.25 NAME 'dc' EQUALITY caseIgnoreIA5Match"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE )",
          "( 1.3.6.1.1.1.1.0 NAME 'uidNumber' EQUALITY integerMatch"
              + " ORDERING integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 )",
          "( 1.3.6.1.1.20 NAME 'entryDN' EQUALITY distinguishedNameMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.12 USAGE directoryOperation )",
          "( 1.3.6.1.4.1.99.1 NAME 'exactName' SUP name EQUALITY caseExactMatch )",
          "( 1.3.6.1.4.1.99.2 NAME 'certificate' EQUALITY certificateExactMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.8 )",
          "( 1.3.6.1.4.1.99.3 NAME 'noRule' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
          "( 1.3.6.1.4.1.99.4 NAME 'twice' SUP name )",
          "( 1.3.6.1.4.1.99.5 NAME 'twice' SUP name EQUALITY caseExactMatch )",
          "( 1.3.6.1.4.1.99.7 NAME 'oneOfTwo' SUP name )",
          "( 1.3.6.1.4.1.99.7 NAME 'otherOfTwo' SUP name )",
          "( 1.3.6.1.4.1.99.8 NAME 'exactParts' EQUALITY caseIgnoreIA5Match"
              + " SUBSTR 1.3.6.1.4.1.4203.1.2.1 SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 )",
          "( 1.3.6.1.4.1.99.6 NAME 'orphan' SUP nothing )");

  private static final List<String> CLASSES =
      List.of(
          "( 2.5.6.0 NAME 'top' ABSTRACT )",
          "( 2.5.6.6 NAME 'person' SUP top STRUCTURAL )",
          "( 2.5.6.7 NAME 'organizationalPerson' SUP person STRUCTURAL )",
          "( 2.16.840.1.113730.3.2.2 NAME ( 'inetOrgPerson' 'iop' ) SUP organizationalPerson )",
          "( 2.5.6.9 NAME 'groupOfNames' SUP top STRUCTURAL )",
          "( 2.16.840.1.113730.3.2.6 NAME 'referral' SUP top STRUCTURAL )");

  private static final SearchEntry SUBSCHEMA =
      entry("cn=Subschema", Map.of("attributeTypes", TYPES, "objectClasses", CLASSES));

  public static final ServerProfile SLAPD_PROFILE =
      ServerProfile.of(entry("", Map.of("objectClass", List.of("OpenLDAProotDSE"))), SUBSCHEMA);

  public static final ServerProfile DS389_PROFILE =
      ServerProfile.of(entry("", Map.of("vendorName", List.of("389 Project"))), SUBSCHEMA);

  public static final ServerProfile OTHER_PROFILE =
      ServerProfile.of(entry("", Map.of("vendorName", List.of("Somebody"))), SUBSCHEMA);

  public static final Schema SLAPD = SLAPD_PROFILE.evaluationSchema();

  private Samples() {}

  /**
   * @param lines {@code name: value}
   */
  public static SearchEntry entry(String dn, String... lines) {
    Map<String, List<String>> attributes = new LinkedHashMap<>();
    for (String line : lines) {
      int colon = line.indexOf(": ");
      attributes
          .computeIfAbsent(line.substring(0, colon), name -> new ArrayList<>())
          .add(line.substring(colon + 2));
    }
    return entry(dn, attributes);
  }

  public static SearchEntry entry(String dn, Map<String, List<String>> attributes) {
    List<byte[]> encoded = new ArrayList<>();
    attributes.forEach(
        (name, values) ->
            encoded.add(
                SearchEntry.encodeAttribute(
                    name.getBytes(UTF_8),
                    values.stream().map(value -> value.getBytes(UTF_8)).toList())));
    try {
      return SearchEntry.parse(SearchEntry.encode(dn.getBytes(UTF_8), encoded));
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  public static Image image(SearchEntry entry) {
    return Image.of(entry, true, SLAPD_PROFILE);
  }

  public static Query query(String base, int scope, String filter) {
    SearchOp op =
        new SearchOp(base.getBytes(UTF_8), scope, 0, 0, 0, false, Filters.parse(filter), List.of());
    return Query.of(op, false, SLAPD_PROFILE);
  }
}
