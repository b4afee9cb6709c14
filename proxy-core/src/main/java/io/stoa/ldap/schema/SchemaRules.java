// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The matching rules of one directory: the rules of each attribute type and the tree of object
 * classes, read from its subschema entry. Rules of different directories are never merged.
 *
 * <p>Threading: immutable.
 */
public final class SchemaRules {
  /** Rules of an unknown directory: every comparison has the result UNKNOWN. */
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
   * Reads the rules of a subschema entry.
   *
   * @param kind the kind of server; only slapd and 389-ds have rules, since others have not been
   *     tested
   * @param subschema contains at least attributeTypes and objectClasses; null if it cannot be read
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
   * Returns one key for all names of an attribute type, without options; an unknown name is its own
   * key, in lower case.
   */
  public Octets typeKey(byte[] description) {
    TypeRules type = type(description);
    return type == null
        ? AttributeName.lower(description, AttributeName.typeLength(description))
        : type.key();
  }

  /** Returns the keys of the type and of all its known supertypes. */
  public Set<Octets> typeKeys(byte[] description) {
    TypeRules type = type(description);
    return type == null || type.isDoubtful() ? Set.of(typeKey(description)) : type.ancestors();
  }

  /**
   * True if entries take the attribute's values from an entry above them (collective attribute).
   */
  public boolean isCollective(byte[] description) {
    TypeRules type = type(description);
    return type != null && type.derived() == TypeRules.Derived.COLLECTIVE;
  }

  public ServerKind kind() {
    return kind;
  }

  /** Returns the type of a description, without regard to options; null if unknown. */
  public @Nullable TypeRules type(byte[] description) {
    return types.get(AttributeName.lower(description, AttributeName.typeLength(description)));
  }

  /** True if a name that is unknown here belongs to no attribute type of the directory. */
  public boolean knowsAllNames() {
    return whole;
  }

  public ClassTree classes() {
    return classes;
  }
}
