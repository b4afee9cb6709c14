// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.TypeRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keys of which every entry that may match a query has at least one. Immutable.
 *
 * @param keys null if there are no such keys: then any entry may match
 */
public record CoveringKeys(@Nullable List<Key> keys) {
  /** Any entry may match. */
  public static final CoveringKeys NONE = new CoveringKeys(null);

  public CoveringKeys {
    keys = keys == null ? null : List.copyOf(keys);
  }

  /**
   * A value, the beginning of values, or any value, of an attribute type or its subtypes.
   *
   * @param value null for any
   */
  public record Key(Kind kind, Octets type, @Nullable Octets value) {
    /** How many octets of the beginning of a value make a key. */
    static final int PREFIX = 3;

    /** What of a value is looked at. */
    public enum Kind {
      EQUAL,
      PREFIX,
      ANY
    }

    static Key any(TypeRules type) {
      return new Key(Kind.ANY, type.key(), null);
    }

    /** For values that begin so; short beginnings are not worth it. */
    static Key initial(TypeRules type, @Nullable Octets beginning) {
      return beginning == null || beginning.length() < PREFIX
          ? any(type)
          : new Key(Kind.PREFIX, type.key(), prefix(beginning));
    }

    /** The beginning of a value under which it is found. */
    public static @Nullable Octets prefixOf(Octets value) {
      return value.length() < PREFIX ? null : prefix(value);
    }

    private static Octets prefix(Octets value) {
      return Octets.of(Arrays.copyOf(value.array(), PREFIX));
    }

    static Key equal(TypeRules type, Octets value) {
      return new Key(Kind.EQUAL, type.key(), value);
    }
  }

  /** How much work it makes to look for what is filed under a key. */
  @FunctionalInterface
  public interface Load {
    double of(Key key);
  }

  static CoveringKeys of(Key key) {
    return new CoveringKeys(List.of(key));
  }

  /** What covers either of two filters. */
  CoveringKeys or(CoveringKeys other) {
    if (keys == null || other.keys == null) {
      return NONE;
    }
    List<Key> both = new ArrayList<>(keys);
    other.keys.stream().filter(key -> !both.contains(key)).forEach(both::add);
    return new CoveringKeys(both);
  }

  double load(Load load) {
    return keys == null ? Double.POSITIVE_INFINITY : keys.stream().mapToDouble(load::of).sum();
  }
}
