// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What a server says of itself. Immutable. */
record RootDse(
    Set<String> controls,
    Set<String> extensions,
    Set<String> features,
    Set<String> mechanisms,
    Set<String> kinds) {

  static final RootDse EMPTY = new RootDse(Set.of(), Set.of(), Set.of(), Set.of(), Set.of());

  static RootDse read(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    try (LDAPConnection connection = new LDAPConnection(host, address.getPort())) {
      return of(connection.getEntry("", "*", "+"));
    } catch (LDAPException e) {
      throw new AssertionError("no root DSE", e);
    }
  }

  private static RootDse of(Entry entry) {
    Set<String> kinds = values(entry, "objectClass");
    kinds.addAll(values(entry, "supportedCapabilities"));
    kinds.addAll(values(entry, "vendorName"));
    return new RootDse(
        values(entry, "supportedControl"),
        values(entry, "supportedExtension"),
        values(entry, "supportedFeatures"),
        values(entry, "supportedSASLMechanisms"),
        kinds);
  }

  private static Set<String> values(Entry entry, String attribute) {
    String[] values = entry.getAttributeValues(attribute);
    return values == null ? new TreeSet<>() : new TreeSet<>(List.of(values));
  }

  /** Everything that can be tried. */
  Set<String> all() {
    Set<String> all = new TreeSet<>(controls);
    all.addAll(extensions);
    all.addAll(features);
    all.addAll(mechanisms);
    return all;
  }

  /** Whether an object identifier or a mechanism is listed anywhere. */
  boolean lists(String name) {
    return controls.contains(name)
        || extensions.contains(name)
        || features.contains(name)
        || mechanisms.contains(name);
  }

  boolean openLdap() {
    return kinds.contains("OpenLDAProotDSE");
  }

  boolean ds389() {
    return kinds.contains("389 Project");
  }

  boolean activeDirectory() {
    return kinds.contains("1.2.840.113556.1.4.800");
  }
}
