// SPDX-License-Identifier: Apache-2.0
package io.stoa.route;

import io.stoa.ldap.BerReader;
import io.stoa.ldap.BerWriter;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.Oids;
import io.stoa.ldap.OpType;
import io.stoa.ldap.SearchEntry;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.ResponseSink;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes out of the root DSE what does not work through Stoa: StartTLS, Turn and the SASL
 * mechanisms. An entry without any of these passes unchanged. Event-loop confined.
 */
final class RootDseSink extends ForwardingSink {
  private static final Set<String> HIDDEN_EXTENSIONS = Set.of(Oids.START_TLS, Oids.TURN);

  RootDseSink(ResponseSink next) {
    super(next);
  }

  @Override
  public void respond(LdapMessage response) {
    byte[] edited = response.type() == OpType.SEARCH_RESULT_ENTRY ? edited(response) : null;
    if (edited == null) {
      next.respond(response);
    } else {
      response.release();
      next.respond(edited);
    }
  }

  /** The entry without what is hidden; null if nothing is, or if it is no valid entry. */
  private static byte @Nullable [] edited(LdapMessage response) {
    try {
      SearchEntry entry = SearchEntry.parse(response.copyOp());
      List<byte[]> kept = new ArrayList<>();
      boolean changed = false;
      for (SearchEntry.AttributeOctets attribute : entry.attributes()) {
        byte[] shown = shown(attribute);
        changed |= shown != attribute.encoded();
        if (shown != null) {
          kept.add(shown);
        }
      }
      return changed ? SearchEntry.encode(entry.dn(), kept) : null;
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  private static byte @Nullable [] shown(SearchEntry.AttributeOctets attribute)
      throws LdapProtocolException {
    String type = new String(attribute.type(), StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
    return switch (type) {
      case "supportedsaslmechanisms", "1.3.6.1.4.1.1466.101.120.14" -> null;
      case "supportedextension", "1.3.6.1.4.1.1466.101.120.7" -> withoutHidden(attribute);
      default -> attribute.encoded();
    };
  }

  private static byte @Nullable [] withoutHidden(SearchEntry.AttributeOctets attribute)
      throws LdapProtocolException {
    List<byte[]> values = attribute.values();
    List<byte[]> kept =
        values.stream()
            .filter(v -> !HIDDEN_EXTENSIONS.contains(new String(v, StandardCharsets.US_ASCII)))
            .toList();
    if (kept.size() == values.size()) {
      return attribute.encoded();
    }
    return kept.isEmpty() ? null : encode(attribute.type(), kept);
  }

  private static byte[] encode(byte[] type, List<byte[]> values) {
    BerWriter attribute = new BerWriter();
    int sequence = attribute.begin(BerReader.SEQUENCE);
    attribute.octets(BerReader.OCTET_STRING, type);
    int set = attribute.begin(BerReader.SET);
    values.forEach(value -> attribute.octets(BerReader.OCTET_STRING, value));
    return attribute.end(set).end(sequence).toByteArray();
  }
}
