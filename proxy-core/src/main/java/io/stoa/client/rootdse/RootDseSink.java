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
  private final RootDseFilter rootDseFilter;
  private final ClientSession session;
  private boolean mechanismsShown;

  RootDseSink(Operation operation, RootDseFilter rootDseFilter) {
    super(operation.sink());
    this.operation = operation;
    this.rootDseFilter = rootDseFilter;
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
      List<byte[]> values = new ArrayList<>();
      boolean changed = false;
      mechanismsShown = false;
      for (AttributeOctets attribute : entry.attributes()) {
        byte[] value = shown(attribute);
        changed |= value != attribute.encoded();
        if (value != null) {
          values.add(value);
        }
      }
      changed |= addMechanisms(values);
      return changed ? SearchEntry.encode(entry.dn(), values) : null;
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  private byte @Nullable [] shown(AttributeOctets attribute) {
    String type = new String(attribute.type(), StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
    return switch (type) {
      case "supportedsaslmechanisms", MECHANISMS_OID -> mechanisms(attribute);
      case "supportedextension", "1.3.6.1.4.1.1466.101.120.7" ->
          offered(
              attribute,
              oid -> rootDseFilter.allowsExtension(session, oid),
              rootDseFilter.extensions(session));
      case "supportedcontrol", "1.3.6.1.4.1.1466.101.120.13" ->
          offered(attribute, oid -> rootDseFilter.allowsControl(session, oid), List.of());
      case "supportedfeatures", "1.3.6.1.4.1.4203.1.3.5" ->
          offered(attribute, rootDseFilter.joined().everywhere(), List.of());
      case "namingcontexts", "1.3.6.1.4.1.1466.101.120.5" ->
          offered(
              attribute, rootDseFilter.joined().reached(), rootDseFilter.joined().otherContexts());
      case "supportedldapversion", "1.3.6.1.4.1.1466.101.120.15" ->
          offered(attribute, RootDseFilter::allowsVersion, List.of());
      default -> attribute.encoded();
    };
  }

  private byte @Nullable [] mechanisms(AttributeOctets attribute) {
    mechanismsShown = true;
    return offered(
        attribute,
        name -> rootDseFilter.allowsMechanism(session, name),
        rootDseFilter.mechanisms(session));
  }

  /**
   * Adds the mechanisms attribute if the directory did not return it, because it offers Stoa no
   * mechanism.
   */
  private boolean addMechanisms(List<byte[]> attributes) {
    List<String> additional = mechanismsShown ? List.of() : rootDseFilter.mechanisms(session);
    if (additional.isEmpty() || !(operation.request().op() instanceof SearchOp search)) {
      return false;
    }
    boolean requested =
        search.attributes().stream().map(RootDseSink::text).anyMatch(RootDseSink::isMechanisms);
    if (requested) {
      byte[] type = MECHANISMS.getBytes(StandardCharsets.US_ASCII);
      List<byte[]> values = search.typesOnly() ? List.of() : octets(additional);
      attributes.add(SearchEntry.encodeAttribute(type, values));
    }
    return requested;
  }

  private static boolean isMechanisms(String attribute) {
    return attribute.equals(OPERATIONAL)
        || attribute.equals(MECHANISMS_OID)
        || attribute.equalsIgnoreCase(MECHANISMS);
  }

  /**
   * Returns the attribute with the values that pass and with further values; null if no values are
   * left.
   */
  private static byte @Nullable [] offered(
      AttributeOctets attribute, Predicate<String> passes, List<String> additional) {
    List<byte[]> values = attribute.values();
    List<String> offered = values.stream().map(RootDseSink::text).toList();
    // A list, since Samba returns some values more than once
    List<String> result = new ArrayList<>(offered);
    result.removeIf(passes.negate());
    Set<String> names = new HashSet<>(result);
    // A search for types only returns no values, so none are added.
    additional.stream().filter(one -> !values.isEmpty() && names.add(one)).forEach(result::add);
    if (result.equals(offered)) {
      return attribute.encoded();
    }
    List<byte[]> octets = octets(result);
    return octets.isEmpty() ? null : SearchEntry.encodeAttribute(attribute.type(), octets);
  }

  private static List<byte[]> octets(Collection<String> values) {
    return values.stream().map(value -> value.getBytes(StandardCharsets.ISO_8859_1)).toList();
  }

  private static String text(byte[] value) {
    return new String(value, StandardCharsets.ISO_8859_1);
  }
}
