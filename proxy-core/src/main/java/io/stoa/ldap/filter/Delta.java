// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeType;
import io.stoa.ldap.schema.Prepared;
import io.stoa.ldap.schema.Schema;
import io.stoa.ldap.schema.ServerProfile;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of an entry that a change may have modified, and the values added and removed.
 * Attributes that the directory sets with every change are included.
 *
 * <p>Threading: immutable.
 */
public final class Delta {
  /**
   * The keys of the values added and removed, by the key of the type. {@link Values#UNKNOWN} if
   * they are unknown.
   */
  private final Map<Octets, Values> changes;

  private record Values(Set<Octets> keys, boolean known) {
    private static final Values UNKNOWN = new Values(Set.of(), false);
  }

  private Delta(Map<Octets, Values> changes) {
    this.changes = Map.copyOf(changes);
  }

  /**
   * Creates a delta with unknown values.
   *
   * @param types keys of the types and of their supertypes, as of {@link Schema#typeKeys}
   */
  public static Delta of(Set<Octets> types) {
    Map<Octets, Values> changes = new HashMap<>();
    types.forEach(type -> changes.put(type, Values.UNKNOWN));
    return new Delta(changes);
  }

  /**
   * Returns this delta with one more attribute, for which all added and removed values are known.
   */
  public Delta and(byte[] attribute, List<byte[]> values, ServerProfile profile) {
    Schema rules = profile.evaluationSchema();
    Map<Octets, Values> more = new HashMap<>(changes);
    Values keys = keys(rules.type(attribute), values, profile);
    for (Octets type : rules.typeKeys(attribute)) {
      more.merge(type, keys, Delta::both);
    }
    return new Delta(more);
  }

  private static Values both(Values one, Values other) {
    if (!one.known() || !other.known()) {
      return Values.UNKNOWN;
    }
    Set<Octets> keys = new HashSet<>(one.keys());
    keys.addAll(other.keys());
    return new Values(keys, true);
  }

  private static Values keys(
      @Nullable AttributeType type, List<byte[]> values, ServerProfile profile) {
    if (type == null || type.isObjectClass()) {
      return Values.UNKNOWN;
    }
    Set<Octets> keys = new HashSet<>();
    for (byte[] value : values) {
      Octets key = Prepared.of(value, type, type.equality().comparison(), profile).key();
      if (key == null) {
        return Values.UNKNOWN;
      }
      keys.add(key);
    }
    return new Values(keys, true);
  }

  /** Returns the keys of the types, supertypes included. */
  public Set<Octets> types() {
    return changes.keySet();
  }

  /**
   * Returns the keys of the values of a type that were added and removed; null if they are unknown.
   */
  public @Nullable Set<Octets> values(Octets type) {
    Values values = changes.get(type);
    return values == null || !values.known() ? null : values.keys();
  }

  /**
   * True if the entry may have become, or ceased to be, a special entry such as a referral or a
   * subentry.
   */
  public boolean changesKind() {
    return changes.containsKey(AttributeType.OBJECT_CLASS)
        || changes.containsKey(AttributeType.REFERENCE);
  }

  boolean changes(AttributeType type) {
    return changes.containsKey(type.key());
  }

  /** True if the change may add or remove a value with that key. */
  boolean changes(AttributeType type, Octets key) {
    Values values = changes.get(type.key());
    return values != null && (!values.known() || values.keys().contains(key));
  }
}
