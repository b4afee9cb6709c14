// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A covering set of keys: every entry that may match a query has at least one key of the set.
 *
 * <p>Threading: immutable.
 *
 * @param keys null if there is no such set: any entry may match
 */
public record CoveringKeys(@Nullable List<Key> keys) {
  /** No covering set: any entry may match. */
  public static final CoveringKeys NONE = new CoveringKeys(null);

  public CoveringKeys {
    keys = keys == null ? null : List.copyOf(keys);
  }

  /**
   * A value, the prefix of values, or any value, of an attribute type or its subtypes.
   *
   * @param value null for {@link KeyMatch#ANY}
   */
  public record Key(KeyMatch kind, Octets type, @Nullable Octets value) {
    /** Octets of a value's prefix that form a key: 3. */
    static final int PREFIX = 3;

    /** The part of a value that forms the key. */
    public enum KeyMatch {
      EQUAL,
      PREFIX,
      ANY
    }

    static Key any(AttributeType type) {
      return new Key(KeyMatch.ANY, type.key(), null);
    }

    /**
     * Returns the key for values with this beginning. A beginning shorter than {@link #PREFIX} is
     * replaced with any value.
     */
    static Key initial(AttributeType type, @Nullable Octets beginning) {
      return beginning == null || beginning.length() < PREFIX
          ? any(type)
          : new Key(KeyMatch.PREFIX, type.key(), prefix(beginning));
    }

    /** Returns the prefix under which a value is indexed; null if the value is shorter. */
    public static @Nullable Octets prefixOf(Octets value) {
      return value.length() < PREFIX ? null : prefix(value);
    }

    private static Octets prefix(Octets value) {
      return Octets.of(Arrays.copyOf(value.array(), PREFIX));
    }

    static Key equal(AttributeType type, Octets value) {
      return new Key(KeyMatch.EQUAL, type.key(), value);
    }
  }

  /** The cost of looking up the queries that are indexed under a key. */
  @FunctionalInterface
  public interface LookupCost {
    double of(Key key);
  }

  static CoveringKeys of(Key key) {
    return new CoveringKeys(List.of(key));
  }

  /** Returns a covering set for the disjunction of two filters. */
  CoveringKeys or(CoveringKeys other) {
    if (keys == null || other.keys == null) {
      return NONE;
    }
    List<Key> both = new ArrayList<>(keys);
    other.keys.stream().filter(key -> !both.contains(key)).forEach(both::add);
    return new CoveringKeys(both);
  }

  double load(LookupCost cost) {
    return keys == null ? Double.POSITIVE_INFINITY : keys.stream().mapToDouble(cost::of).sum();
  }
}
