// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.health;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.operation.InternalSearch.Found;
import io.stoa.operation.InternalSearch.SearchParameters;
import io.stoa.upstream.connection.ProbeConfig;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The response that a healthy server must give: an entry that matches, with a certain value if
 * configured.
 *
 * <p>Threading: immutable.
 */
final class HealthAssertion {
  private static final String NO_ATTRIBUTES = "1.1";

  private final ProbeConfig config;
  private final String attribute;
  private final String value;

  HealthAssertion(ProbeConfig config) {
    int sign = config.expect().indexOf('=');
    this.config = config;
    this.attribute = sign < 0 ? NO_ATTRIBUTES : config.expect().substring(0, sign);
    this.value = config.expect().substring(sign + 1);
  }

  /** Returns the search to send. */
  SearchParameters search() {
    String filter = config.filter().isEmpty() ? "(objectClass=*)" : config.filter();
    return new SearchParameters(octets(config.base()), false, encoded(filter), List.of(attribute));
  }

  private static byte[] encoded(String filter) {
    try {
      return Filter.create(filter).encode().encode();
    } catch (LDAPException e) {
      throw new IllegalArgumentException("filter '" + filter + "' is not a valid LDAP filter", e);
    }
  }

  /** Returns why the response is not as expected; empty if it is. */
  String failureReason(Found found) {
    byte[] entry = found.entry();
    if (found.code() != 0) {
      return "health check: search for " + description() + " returned result code " + found.code();
    }
    if (entry == null) {
      return "health check: not found: " + description();
    }
    boolean fulfilled = config.expect().isEmpty() || matches(entry);
    return fulfilled ? "" : description() + " lacks " + config.expect();
  }

  private String description() {
    String name = config.base().isEmpty() ? "root DSE" : "entry " + config.base();
    return config.filter().isEmpty() ? name : name + " with " + config.filter();
  }

  /**
   * True if the entry has the expected value. Case is ignored, since servers differ in which
   * attributes ignore it.
   */
  private boolean matches(byte[] entry) {
    try {
      for (AttributeOctets one : SearchEntry.parse(entry).attributes()) {
        if (text(one.type()).equalsIgnoreCase(attribute)
            && one.values().stream().anyMatch(octets -> text(octets).equalsIgnoreCase(value))) {
          return true;
        }
      }
      return false;
    } catch (LdapProtocolException e) {
      return false;
    }
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
