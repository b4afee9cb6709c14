// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Octets;
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

  /** Returns the key of a class; null if the name is unknown or ambiguous. */
  public @Nullable Octets key(byte[] name) {
    return keys.get(AttributeName.lower(name, name.length));
  }

  /** Returns the keys of the class and of its superclasses. */
  public Set<Octets> ancestors(Octets key) {
    return ancestors.getOrDefault(key, Set.of(key));
  }
}
