// SPDX-License-Identifier: Apache-2.0
package io.stoa.filter;

import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.Octets;
import io.stoa.ldap.SearchEntry.AttributeOctets;
import io.stoa.match.ServerProfile;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
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
   * @param exact keys of values that are equal to assertions with the same key
   * @param possible keys of values that may be
   * @param doubtful whether there are values that may be equal to anything
   */
  record Values(Set<Octets> exact, Set<Octets> possible, boolean doubtful) {
    Truth contains(Octets key, boolean exactly) {
      boolean found = exact.contains(key);
      if (found && exactly) {
        return Truth.TRUE;
      }
      return found || doubtful || possible.contains(key) ? Truth.UNKNOWN : Truth.FALSE;
    }

    /**
     * Whether the test holds for any value; a key that is only possible proves nothing but FALSE.
     */
    Truth any(Function<Octets, Truth> test) {
      Truth any = doubtful ? Truth.UNKNOWN : Truth.FALSE;
      for (Octets key : possible) {
        any = any.or(test.apply(key) == Truth.FALSE ? Truth.FALSE : Truth.UNKNOWN);
      }
      for (Octets key : exact) {
        any = any.or(test.apply(key));
        if (any == Truth.TRUE) {
          return any;
        }
      }
      return any;
    }
  }

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

  boolean isComparedBy(Comparison comparison) {
    return type().equality().comparison() == comparison;
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
    Set<Octets> exact = new HashSet<>(Math.max(4, raw.size() * 2));
    Set<Octets> possible = new HashSet<>(0);
    boolean doubtful = false;
    for (byte[] value : raw) {
      Prepared one = Prepared.of(value, type(), type().equality().comparison(), profile);
      if (one.key() == null) {
        doubtful = true;
      } else {
        (one.exact() ? exact : possible).add(one.key());
      }
    }
    return new Values(exact, possible, doubtful);
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
