// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.rootdse;

import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.Response;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.operation.ClientSession;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Removes from the root DSE what does not work through Stoa, and adds what Stoa itself offers. An
 * entry that needs no change passes unchanged.
 *
 * <p>Threading: event loop.
 */
final class RootDseSink extends ForwardingSink {
  private static final String MECHANISMS = "supportedSASLMechanisms";
  private static final String MECHANISMS_OID = "1.3.6.1.4.1.1466.101.120.14";

  /** Attribute selector for all operational attributes (RFC 3673). */
  private static final String OPERATIONAL = "+";

  private final Operation operation;
  private final RootDseFilter offer;
  private final ClientSession session;
  private boolean mechanismsShown;

  RootDseSink(Operation operation, RootDseFilter offer) {
    super(operation.sink());
    this.operation = operation;
    this.offer = offer;
    this.session = operation.session();
  }

  @Override
  public void respond(Response response) {
    if (response instanceof EncodedResponse own) {
      byte[] edited = edited(own.op());
      next.respond(edited == null ? own : new EncodedResponse(edited));
    } else if (response instanceof LdapMessage message
        && message.type() == OpType.SEARCH_RESULT_ENTRY) {
      byte[] edited = edited(message.copyOp());
      next.respond(edited == null ? message : message.withOp(edited));
    } else {
      next.respond(response);
    }
  }

  /** Returns the edited entry; null if nothing changes or it cannot be parsed. */
  private byte @Nullable [] edited(byte[] op) {
    try {
      SearchEntry entry = SearchEntry.parse(op);
      List<byte[]> kept = new ArrayList<>();
      boolean changed = false;
      mechanismsShown = false;
      for (AttributeOctets attribute : entry.attributes()) {
        byte[] shown = shown(attribute);
        changed |= shown != attribute.encoded();
        if (shown != null) {
          kept.add(shown);
        }
      }
      changed |= addMechanisms(kept);
      return changed ? SearchEntry.encode(entry.dn(), kept) : null;
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  private byte @Nullable [] shown(AttributeOctets attribute) {
    String type = new String(attribute.type(), StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
    return switch (type) {
      case "supportedsaslmechanisms", MECHANISMS_OID -> mechanisms(attribute);
      case "supportedextension", "1.3.6.1.4.1.1466.101.120.7" ->
          offered(attribute, oid -> offer.allowsExtension(session, oid), offer.extensions(session));
      case "supportedcontrol", "1.3.6.1.4.1.1466.101.120.13" ->
          offered(attribute, oid -> offer.allowsControl(session, oid), List.of());
      case "supportedfeatures", "1.3.6.1.4.1.4203.1.3.5" ->
          offered(attribute, offer.joined().everywhere(), List.of());
      case "namingcontexts", "1.3.6.1.4.1.1466.101.120.5" ->
          offered(attribute, offer.joined().reached(), offer.joined().otherContexts());
      case "supportedldapversion", "1.3.6.1.4.1.1466.101.120.15" ->
          offered(attribute, RootDseFilter::allowsVersion, List.of());
      default -> attribute.encoded();
    };
  }

  private byte @Nullable [] mechanisms(AttributeOctets attribute) {
    mechanismsShown = true;
    return offered(
        attribute, name -> offer.allowsMechanism(session, name), offer.mechanisms(session));
  }

  /**
   * Adds the mechanisms attribute if the directory did not return it, because it offers Stoa no
   * mechanism.
   */
  private boolean addMechanisms(List<byte[]> attributes) {
    List<String> more = mechanismsShown ? List.of() : offer.mechanisms(session);
    if (more.isEmpty() || !(operation.request().op() instanceof SearchOp search)) {
      return false;
    }
    boolean asked =
        search.attributes().stream().map(RootDseSink::text).anyMatch(RootDseSink::isMechanisms);
    if (asked) {
      byte[] type = MECHANISMS.getBytes(StandardCharsets.US_ASCII);
      List<byte[]> values = search.typesOnly() ? List.of() : octets(more);
      attributes.add(SearchEntry.encodeAttribute(type, values));
    }
    return asked;
  }

  private static boolean isMechanisms(String asked) {
    return asked.equals(OPERATIONAL)
        || asked.equals(MECHANISMS_OID)
        || asked.equalsIgnoreCase(MECHANISMS);
  }

  /**
   * Returns the attribute with the values that pass and with further values; null if no values are
   * left.
   */
  private static byte @Nullable [] offered(
      AttributeOctets attribute, Predicate<String> passes, List<String> more) {
    List<byte[]> values = attribute.values();
    List<String> offered = values.stream().map(RootDseSink::text).toList();
    // A list, since Samba returns some values more than once
    List<String> kept = new ArrayList<>(offered);
    kept.removeIf(passes.negate());
    Set<String> shown = new HashSet<>(kept);
    // A search for types only returns no values, so none are added.
    more.stream().filter(one -> !values.isEmpty() && shown.add(one)).forEach(kept::add);
    if (kept.equals(offered)) {
      return attribute.encoded();
    }
    List<byte[]> octets = octets(kept);
    return octets.isEmpty() ? null : SearchEntry.encodeAttribute(attribute.type(), octets);
  }

  private static List<byte[]> octets(Collection<String> values) {
    return values.stream().map(value -> value.getBytes(StandardCharsets.ISO_8859_1)).toList();
  }

  private static String text(byte[] value) {
    return new String(value, StandardCharsets.ISO_8859_1);
  }
}
