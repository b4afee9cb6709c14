// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Converts entries of the SDK to octets, and removes secrets from them.
 *
 * <p>Threading: immutable.
 *
 * @param secret true for the descriptions of attributes that hold passwords or keys
 */
public record EntryConverter(Predicate<byte[]> secret) {

  /**
   * Encodes the entry as the protocolOp of a SearchResultEntry, with attributes in the server's
   * order.
   */
  public static byte[] encode(Entry entry) {
    List<byte[]> attributes = new ArrayList<>();
    for (Attribute attribute : entry.getAttributes()) {
      ASN1OctetString[] raw = attribute.getRawValues();
      List<byte[]> values = new ArrayList<>(raw.length);
      for (ASN1OctetString value : raw) {
        values.add(value.getValue());
      }
      attributes.add(SearchEntry.encodeAttribute(utf8(attribute.getName()), values));
    }
    return SearchEntry.encode(utf8(entry.getDN()), attributes);
  }

  /** Returns the entry without secrets; null if it cannot be decoded. */
  public @Nullable SearchEntry withoutSecrets(byte[] op) {
    try {
      SearchEntry entry = SearchEntry.parse(op);
      List<SearchEntry.AttributeOctets> all = entry.attributes();
      List<byte[]> publicAttributes =
          all.stream()
              .filter(attribute -> !secret.test(attribute.type()))
              .map(SearchEntry.AttributeOctets::encoded)
              .toList();
      return publicAttributes.size() == all.size()
          ? entry
          : SearchEntry.parse(SearchEntry.encode(entry.dn(), publicAttributes));
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
