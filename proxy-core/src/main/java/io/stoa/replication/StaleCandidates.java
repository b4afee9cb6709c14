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
 * Entries that have been changed in a way which the server that is asked may lack, but only in
 * attributes by which the search does not look for them. Whether such an entry is found is not for
 * the change to say: an answer without any of them is the right one, and one that shows one of them
 * may be old. Immutable.
 *
 * @param places of the entries
 * @param profile by which names of entries are compared
 */
public record StaleCandidates(Set<Octets> places, ServerProfile profile) {
  private static final String KIND = "objectclass";

  public StaleCandidates {
    places = Set.copyOf(places);
  }

  /** Whether any answer is the right one. */
  public boolean isEmpty() {
    return places.isEmpty();
  }

  /** Whether a part of an answer shows one of the entries, or cannot be read. */
  public boolean isShownBy(LdapMessage part) {
    if (part.type() != OpType.SEARCH_RESULT_ENTRY) {
      return false;
    }
    return isShown(new BerReader(part.body(), ProtocolError.MALFORMED_RESPONSE));
  }

  /** The same of the protocolOp of a part. */
  public boolean isShownBy(byte[] part) {
    return part[0] == (byte) OpType.SEARCH_RESULT_ENTRY.tag()
        && isShown(new BerReader(part, ProtocolError.MALFORMED_RESPONSE));
  }

  private boolean isShown(BerReader reader) {
    try {
      reader.enter(OpType.SEARCH_RESULT_ENTRY.tag());
      Octets place = NormalDn.of(reader.octets(BerReader.OCTET_STRING), profile).place();
      return place == null || places.contains(place);
    } catch (LdapProtocolException e) {
      return true;
    }
  }

  /**
   * By which attributes a search finds entries; null if its answer does not tell whether a change
   * concerns it: other servers than OpenLDAP set attributes by themselves with changes of others.
   * One that is likely to be large would be read for nothing.
   */
  static @Nullable FilterAttributes found(Request request, Footprint read, ServerProfile profile) {
    boolean plain = profile.kind() == ServerKind.OPENLDAP && !read.wide() && read.deep();
    boolean may = plain && request.op() instanceof SearchOp search && isNarrow(search.filter());
    if (!may || !request.controls().stream().allMatch(StaleCandidates::isHarmless)) {
      return null;
    }
    FilterAttributes found = FilterAttributes.of(((SearchOp) request.op()).filter(), profile);
    return found.any() || found.namesVolatile() || found.namesOperational() ? null : found;
  }

  /** Others may make the answer depend on what it does not show. */
  private static boolean isHarmless(Control control) {
    return control.oid().equals(Oids.MANAGE_DSA_IT);
  }

  /** Whether it asks for certain values: few entries have them. */
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
