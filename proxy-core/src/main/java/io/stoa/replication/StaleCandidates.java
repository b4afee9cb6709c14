// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stoa.ldap.filter.FilterAttributes;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.FilterNode.And;
import io.stoa.ldap.protocol.FilterNode.Equality;
import io.stoa.ldap.protocol.FilterNode.Or;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.ldap.schema.ServerProfile;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Entries that a server may show in a stale state, while it finds the right ones.
 *
 * <p>The server may lack a write to them, but only in attributes that the filter does not test. The
 * write does not change whether an entry matches. So an answer without these entries is right, and
 * an answer that shows one may be stale.
 *
 * <p>Threading: immutable.
 *
 * @param places places of the entries
 * @param profile schema by which names are compared
 */
public record StaleCandidates(Set<Octets> places, ServerProfile profile) {
  private static final String KIND = "objectclass";

  public StaleCandidates {
    places = Set.copyOf(places);
  }

  /** True if there are none, so that any answer is right. */
  public boolean isEmpty() {
    return places.isEmpty();
  }

  /** True if a message shows one of the entries, or cannot be decoded. */
  public boolean isShownBy(LdapMessage message) {
    if (message.type() != OpType.SEARCH_RESULT_ENTRY) {
      return false;
    }
    return isShown(new BerReader(message.body(), ProtocolError.MALFORMED_RESPONSE));
  }

  /** True if the protocolOp of a message shows one of the entries, or cannot be decoded. */
  public boolean isShownBy(byte[] message) {
    return message[0] == (byte) OpType.SEARCH_RESULT_ENTRY.tag()
        && isShown(new BerReader(message, ProtocolError.MALFORMED_RESPONSE));
  }

  private boolean isShown(BerReader reader) {
    try {
      reader.enter(OpType.SEARCH_RESULT_ENTRY.tag());
      Octets position = NormalDn.of(reader.octets(BerReader.OCTET_STRING), profile).treePosition();
      return position == null || places.contains(position);
    } catch (LdapProtocolException e) {
      return true;
    }
  }

  /**
   * Returns the attributes by which a search finds entries; null if its answer does not show
   * whether a write concerns it.
   *
   * <p>Only OpenLDAP is supported: other servers set further attributes with a write. Only searches
   * for certain values are supported: a large answer would probably be read in vain.
   */
  static @Nullable FilterAttributes filterAttributes(
      Request request, Footprint read, ServerProfile profile) {
    boolean plain = profile.kind() == ServerKind.OPENLDAP && !read.wide() && read.deep();
    boolean may = plain && request.op() instanceof SearchOp search && isNarrow(search.filter());
    if (!may || !request.controls().stream().allMatch(StaleCandidates::isHarmless)) {
      return null;
    }
    FilterAttributes found = FilterAttributes.of(((SearchOp) request.op()).filter(), profile);
    return found.any() || found.namesVolatile() || found.namesOperational() ? null : found;
  }

  /** True for a control that does not make the answer depend on data that it does not show. */
  private static boolean isHarmless(Control control) {
    return control.oid().equals(Oids.MANAGE_DSA_IT);
  }

  /** True if the filter asks for certain values, which few entries have. */
  private static boolean isNarrow(FilterNode filter) {
    if (filter instanceof And and) {
      return and.members().stream().anyMatch(StaleCandidates::isNarrow);
    }
    if (filter instanceof Or or) {
      return !or.members().isEmpty() && or.members().stream().allMatch(StaleCandidates::isNarrow);
    }
    return filter instanceof Equality equality
        && !KIND.equalsIgnoreCase(new String(equality.attribute(), ISO_8859_1));
  }
}
