// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.protocol.Octets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The object classes of a directory and their superclasses.
 *
 * <p>Threading: immutable.
 */
public final class ClassTree {
  static final ClassTree NONE = new ClassTree(Map.of(), Map.of());

  private final Map<Octets, Octets> keys;
  private final Map<Octets, Set<Octets>> ancestors;

  /**
   * Creates a tree.
   *
   * @param keys the OID in lower case, by each name and OID in lower case
   * @param ancestors the keys of the class and of its superclasses, by the key of the class
   */
  ClassTree(Map<Octets, Octets> keys, Map<Octets, Set<Octets>> ancestors) {
    this.keys = Map.copyOf(keys);
    this.ancestors = Map.copyOf(ancestors);
  }

  /** Returns the names that two directories define alike, without superclasses. */
  ClassTree and(ClassTree other) {
    Map<Octets, Octets> common = new HashMap<>(keys);
    common.entrySet().retainAll(other.keys.entrySet());
    return new ClassTree(common, Map.of());
  }

  /** Returns the key of a class; null if the name is unknown or ambiguous. */
  public @Nullable Octets key(byte[] name) {
    return keys.get(Ascii.lowerKey(name, name.length));
  }

  /** Returns the keys of the class and of its superclasses. */
  public Set<Octets> ancestors(Octets key) {
    return ancestors.getOrDefault(key, Set.of(key));
  }
}
