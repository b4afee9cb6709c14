// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How one directory compares: the rules of each attribute type and the tree of its object classes,
 * as its subschema entry tells them. Never merged with that of another directory. Immutable.
 */
public final class SchemaRules {
  /** Nothing is known: everything is UNKNOWN. */
  public static final SchemaRules NONE =
      new SchemaRules(ServerKind.UNKNOWN, Map.of(), false, ClassTree.NONE);

  private final ServerKind kind;
  private final Map<Octets, TypeRules> types;
  private final boolean whole;
  private final ClassTree classes;

  SchemaRules(ServerKind kind, Map<Octets, TypeRules> types, boolean whole, ClassTree classes) {
    this.kind = kind;
    this.whole = whole;
    this.types = Map.copyOf(types);
    this.classes = classes;
  }

  /**
   * @param kind what has not been compared with a server of this kind is not known of it: other
   *     kinds than slapd and 389-ds have no rules
   * @param subschema with at least attributeTypes and objectClasses; null if it cannot be read
   */
  public static SchemaRules of(ServerKind kind, @Nullable SearchEntry subschema) {
    boolean compared = kind == ServerKind.OPENLDAP || kind == ServerKind.DS389;
    return subschema == null || !compared ? NONE : SchemaRulesReader.read(kind, subschema);
  }

  /** False for {@link #NONE}, and if the subschema has no attribute types. */
  public boolean isKnown() {
    return !types.isEmpty();
  }

  /**
   * One key for all names of an attribute type, options left out; an unknown name in lower case.
   */
  public Octets typeKey(byte[] description) {
    TypeRules type = type(description);
    return type == null
        ? AttributeName.lower(description, AttributeName.typeLength(description))
        : type.key();
  }

  /** The same for the type and all its supertypes, as far as they are known. */
  public Set<Octets> typeKeys(byte[] description) {
    TypeRules type = type(description);
    return type == null || type.isDoubtful() ? Set.of(typeKey(description)) : type.ancestors();
  }

  /** Whether entries have the attribute from another one above. */
  public boolean isCollective(byte[] description) {
    TypeRules type = type(description);
    return type != null && type.derived() == TypeRules.Derived.COLLECTIVE;
  }

  public ServerKind kind() {
    return kind;
  }

  /** The type that a description names, whatever options follow; null if it is not known. */
  public @Nullable TypeRules type(byte[] description) {
    return types.get(AttributeName.lower(description, AttributeName.typeLength(description)));
  }

  /** Whether a name that is not known here is none of any attribute type of the directory. */
  public boolean knowsAllNames() {
    return whole;
  }

  public ClassTree classes() {
    return classes;
  }
}
