// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import java.util.List;

/** What the clients of the trace ask for and slapd's own schemas lack. Stateless. */
final class TraceSchema {
  private static final String IA5 =
      "EQUALITY caseExactIA5Match SUBSTR caseExactIA5SubstringsMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.26";
  private static final String TEXT =
      "EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15";

  /** Of this test alone, under OpenLDAP's arc for experiments. */
  private static final String OURS = "1.3.6.1.4.1.4203.666.1.9.";

  private TraceSchema() {}

  /** Lines of slapd.conf. */
  static String lines() {
    return String.join(
        "\n",
        List.of(
            type("1.3.6.1.1.1.1.31", "automountMapName", IA5),
            type("1.3.6.1.1.1.1.32", "automountKey", IA5),
            type("1.3.6.1.1.1.1.33", "automountInformation", IA5),
            type("1.3.6.1.4.1.15953.9.1.1", "sudoUser", IA5),
            type("1.3.6.1.4.1.15953.9.1.2", "sudoHost", IA5),
            type("1.3.6.1.4.1.15953.9.1.3", "sudoCommand", IA5),
            type("1.3.6.1.4.1.15953.9.1.5", "sudoOption", IA5),
            type("2.16.840.1.113719.1.301.6.8.1", "krbPrincipalName", IA5),
            type("1.3.6.1.4.1.24552.500.1.1.1.13", "sshPublicKey", IA5),
            type("1.2.840.113556.1.4.221", "sAMAccountName", TEXT),
            type("1.2.840.113556.1.4.656", "userPrincipalName", TEXT),
            type(OURS + 1, "mailacceptinggeneralid", TEXT),
            type(OURS + 2, "maildrop", TEXT),
            type(OURS + 3, "mailSieveRuleSource", TEXT),
            type(OURS + 4, "radiusClientIdentifier", TEXT),
            objectClass("1.3.6.1.1.1.2.16", "automountMap", "STRUCTURAL", "automountMapName"),
            objectClass("1.3.6.1.1.1.2.17", "automount", "STRUCTURAL", "automountKey"),
            objectClass("1.3.6.1.4.1.15953.9.2.1", "sudoRole", "STRUCTURAL", "cn"),
            objectClass("1.2.840.113556.1.5.8", "group", "STRUCTURAL", "cn"),
            objectClass(OURS + 11, "radiusClient", "STRUCTURAL", "radiusClientIdentifier"),
            objectClass(OURS + 12, "account2", "AUXILIARY", "objectClass")));
  }

  private static String type(String oid, String name, String rules) {
    return "attributetype ( %s NAME '%s' %s )".formatted(oid, name, rules);
  }

  /** Any of them may have any of the attributes above. */
  private static String objectClass(String oid, String name, String kind, String must) {
    return ("objectclass ( %s NAME '%s' SUP top %s MUST %s MAY ( cn $ member $ sudoUser $ sudoHost"
            + " $ sudoCommand $ sudoOption $ automountInformation $ krbPrincipalName $ sshPublicKey"
            + " $ sAMAccountName $ userPrincipalName $ mailacceptinggeneralid $ maildrop"
            + " $ mailSieveRuleSource $ description ) )")
        .formatted(oid, name, kind, must);
  }
}
