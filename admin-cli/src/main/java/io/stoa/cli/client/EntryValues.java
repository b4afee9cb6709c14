// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.RDN;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the attributes of an entry as text and as numbers. Threading: immutable. */
public final class EntryValues {
  private final Entry entry;

  EntryValues(Entry entry) {
    this.entry = entry;
  }

  /** Returns a copy with one more value. */
  public EntryValues with(String attribute, String value) {
    Entry more = entry.duplicate();
    more.setAttribute(attribute, value);
    return new EntryValues(more);
  }

  /** Returns the name, as the server spells it. */
  public String dn() {
    return entry.getDN();
  }

  /** Returns the value of the RDN. */
  public String name() {
    try {
      RDN first = entry.getRDN();
      return first == null ? "" : first.getAttributeValues()[0];
    } catch (LDAPException e) {
      return entry.getDN();
    }
  }

  /** Returns the first value of an attribute; null if it has none. */
  public @Nullable String text(String attribute) {
    return entry.getAttributeValue(attribute);
  }

  /** Returns the first value as a number; null if it is not one. */
  public @Nullable Long number(String attribute) {
    String text = text(attribute);
    try {
      return text == null ? null : Long.valueOf(text);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** Returns the first value as a number; 0 if it is not one. */
  public long count(String attribute) {
    Long number = number(attribute);
    return number == null ? 0 : number;
  }

  /** Returns the first value as a boolean; null if there is none. */
  public @Nullable Boolean bool(String attribute) {
    String text = text(attribute);
    return text == null ? null : text.equalsIgnoreCase("TRUE");
  }

  /** Returns all values of an attribute. */
  public List<String> values(String attribute) {
    String[] values = entry.getAttributeValues(attribute);
    return values == null ? List.of() : List.of(values);
  }

  /** Returns values such as {@code {0}first} in their order, without the number of each. */
  public List<String> ordered(String attribute) {
    return values(attribute).stream()
        .sorted(Comparator.comparingInt(EntryValues::place))
        .map(line -> line.substring(line.indexOf('}') + 1))
        .toList();
  }

  private static int place(String line) {
    return Integer.parseInt(line.substring(1, line.indexOf('}')));
  }
}
