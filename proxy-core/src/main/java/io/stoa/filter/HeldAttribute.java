// SPDX-License-Identifier: Apache-2.0
package io.stoa.filter;

import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.Octets;
import io.stoa.ldap.SearchEntry.AttributeOctets;
import io.stoa.match.ServerProfile;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An attribute of an entry, its values prepared when they are first asked for. Thread-safe: threads
 * that race prepare the same.
 */
final class HeldAttribute {
  private final AttributeName name;
  private final AttributeOctets octets;
  private final ServerProfile profile;
  private volatile @Nullable Values prepared;

  /**
   * Immutable.
   *
   * @param keys of the values for equality
   * @param doubtful whether there are values of which it is not known what they are equal to
   */
  record Values(Set<Octets> keys, boolean doubtful) {}

  HeldAttribute(AttributeName name, AttributeOctets octets, ServerProfile profile) {
    this.name = name;
    this.octets = octets;
    this.profile = profile;
  }

  AttributeName name() {
    return name;
  }

  TypeRules type() {
    return name.type();
  }

  Values values() {
    Values known = prepared;
    if (known == null) {
      known = prepare();
      prepared = known;
    }
    return known;
  }

  private Values prepare() {
    List<byte[]> raw = raw();
    Set<Octets> keys = new HashSet<>(Math.max(4, raw.size() * 2));
    boolean doubtful = false;
    for (byte[] value : raw) {
      Octets key = Prepared.of(value, type(), type().equality().comparison(), profile).key();
      if (key == null) {
        doubtful = true;
      } else {
        keys.add(key);
      }
    }
    return new Values(keys, doubtful);
  }

  /** As the directory sent them. */
  List<byte[]> raw() {
    try {
      return octets.values();
    } catch (LdapProtocolException e) {
      throw new IllegalArgumentException("an entry is checked when it is parsed", e);
    }
  }
}
