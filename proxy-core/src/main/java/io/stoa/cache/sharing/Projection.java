// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.ldap.schema.ServerProfile;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Computes the part of a whole entry that members of a uniform class see when they ask for it: the
 * attributes of their class and request, in the order and spelling of the entry.
 *
 * <p>Threading: immutable.
 */
public final class Projection {
  private final @Nullable AttributeSelection include;
  private final @Nullable AttributeSelection exclude;

  /** Creates the projection for a class in the directory of the profile. */
  public Projection(Attributes attributes, ServerProfile profile) {
    include = selection(attributes.include(), profile);
    exclude = selection(attributes.exclude(), profile);
  }

  private static @Nullable AttributeSelection selection(List<String> names, ServerProfile profile) {
    List<byte[]> octets = names.stream().map(name -> name.getBytes(UTF_8)).toList();
    return octets.isEmpty() ? null : AttributeSelection.of(octets, profile);
  }

  /** True if the attributes returned for this list can be computed from a whole entry. */
  public boolean isComputable(AttributeSelection wanted) {
    return wanted.cutsWholeEntries()
        && (include == null || include.cutsWholeEntries())
        && (exclude == null || exclude.cutsWholeEntries());
  }

  /** True if members see all attributes, given by OID, that a filter names. */
  public boolean showsAll(Collection<Octets> types) {
    return types.stream().allMatch(type -> isSeen(type.array()));
  }

  private boolean isSeen(byte[] type) {
    return (include == null || include.selects(type))
        && (exclude == null || !exclude.selects(type));
  }

  /** True if a member that asks for {@code wanted} gets an attribute of the entry. */
  public boolean shows(byte[] type, AttributeSelection wanted) {
    return isSeen(type) && wanted.selects(type);
  }

  /** Returns the attributes that a member gets of an entry, by description in lower case. */
  public Map<Octets, Set<Octets>> shows(SearchEntry whole, AttributeSelection wanted) {
    try {
      ResponseContents answers = ResponseContents.of(0, List.of(of(whole, wanted)));
      return answers.entries().getOrDefault(Octets.of(whole.dn()), Map.of());
    } catch (LdapProtocolException e) {
      throw new IllegalArgumentException("an entry is checked when it is parsed", e);
    }
  }

  /**
   * Returns the SearchResultEntry that a member gets.
   *
   * @param whole the entry with all its attributes
   * @param wanted must be {@link #isComputable}
   */
  public byte[] of(SearchEntry whole, AttributeSelection wanted) {
    List<byte[]> projected =
        whole.attributes().stream()
            .filter(attribute -> shows(attribute.type(), wanted))
            .map(AttributeOctets::encoded)
            .toList();
    return SearchEntry.encode(whole.dn(), projected);
  }
}
