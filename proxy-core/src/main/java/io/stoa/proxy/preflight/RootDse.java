// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.preflight;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.net.transport.Plural;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The root DSE of a server, in words.
 *
 * <p>Threading: immutable; the array must not be modified.
 *
 * @param octets the same entry in BER
 */
record RootDse(SearchEntry entry, byte[] octets) {
  /** Attributes that are read. */
  static final List<String> ATTRIBUTES =
      List.of(
          "objectClass",
          "vendorName",
          "vendorVersion",
          "namingContexts",
          "supportedControl",
          "supportedExtension",
          "supportedFeatures",
          "supportedCapabilities",
          "supportedSASLMechanisms");

  private static final String ACTIVE_DIRECTORY = "1.2.840.113556.1.4.800";

  /** Names of the controls and extensions that clients or Stoa use, in the order of the report. */
  private static final Map<String, String> NAMES = names();

  private static Map<String, String> names() {
    Map<String, String> names = new LinkedHashMap<>();
    names.put(Oids.PROXIED_AUTHZ_V2, "proxied authorization");
    names.put(Oids.SYNC_REQUEST, "content synchronization");
    names.put(Oids.PERSISTENT_SEARCH, "persistent search");
    names.put(Oids.PAGED, "paged results");
    names.put(Oids.SORT_REQUEST, "server-side sorting");
    names.put(Oids.VLV_REQUEST, "virtual list view");
    names.put(Oids.ASSERTION, "assertion");
    names.put(Oids.PRE_READ, "pre-read");
    names.put(Oids.POST_READ, "post-read");
    names.put(Oids.MATCHED_VALUES, "matched values");
    names.put(Oids.PASSWORD_POLICY, "password policy");
    names.put(Oids.SESSION_TRACKING, "session tracking");
    names.put(Oids.START_TLS, "StartTLS");
    names.put(Oids.WHO_AM_I, "Who Am I");
    names.put(Oids.PASSWORD_MODIFY, "password modify");
    names.put(Oids.CANCEL, "cancel");
    names.put(Oids.TXN_START, "transactions");
    return names;
  }

  /** Returns the product and its version. */
  String product() {
    String vendor = String.join(" ", values("vendorName"));
    String version = String.join(" ", values("vendorVersion"));
    ServerKind kind = ServerProfile.of(entry, null).kind();
    if (!vendor.isEmpty() || !version.isEmpty()) {
      return (vendor + " " + version).strip();
    }
    if (kind == ServerKind.OPENLDAP) {
      return "OpenLDAP, which does not show its version";
    }
    return values("supportedCapabilities").contains(ACTIVE_DIRECTORY)
        ? "Active Directory"
        : "unknown product (no vendorName)";
  }

  /** True if caching and feeds know the product. */
  boolean isKnown() {
    return ServerProfile.of(entry, null).kind() != ServerKind.OTHER;
  }

  boolean supports(String oid) {
    return values("supportedControl").contains(oid) || values("supportedExtension").contains(oid);
  }

  /** Returns the names of the controls or extensions, and the number of all others. */
  String supported(String attribute) {
    List<String> all = values(attribute);
    List<String> named = new ArrayList<>();
    NAMES.forEach(
        (oid, name) -> {
          if (all.contains(oid)) {
            named.add(name);
          }
        });
    int others = all.size() - named.size();
    String rest = others > 0 ? (named.isEmpty() ? "" : " and ") + Plural.of(others, "other") : "";
    return named.isEmpty() && others == 0 ? "none" : String.join(", ", named) + rest;
  }

  /** Returns the values of an attribute as text. */
  List<String> values(String attribute) {
    List<String> values = new ArrayList<>();
    for (SearchEntry.AttributeOctets one : entry.attributes()) {
      if (attribute.equalsIgnoreCase(new String(one.type(), UTF_8))) {
        one.values().forEach(value -> values.add(new String(value, UTF_8)));
      }
    }
    return values;
  }
}
