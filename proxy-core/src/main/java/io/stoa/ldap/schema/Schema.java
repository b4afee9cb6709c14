// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.protocol.Octets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The directory's schema, reduced to the facts that decide cache keys.
 *
 * <p>Threading: immutable.
 */
public final class Schema {
  /** The extent of folding for one kind of directory, once its schema is known. */
  public enum Folding {
    NOTHING,

    /**
     * Folds letter case of attribute names in filters, and of values that ignore letter case. No
     * directory may distinguish these. Directories differ in aliases and OIDs, the order of
     * attributes, the spelling of DNs and the treatment of spaces.
     */
    LETTER_CASE,

    /**
     * Folds everything that this package implements. Verified against the directory's responses.
     */
    EVERYTHING;

    static Folding of(ServerKind kind) {
      return switch (kind) {
        case OPENLDAP -> EVERYTHING;
        case DS389, OTHER -> LETTER_CASE;
        case UNKNOWN -> NOTHING;
      };
    }

    public boolean letterCase() {
      return this != NOTHING;
    }

    public boolean everything() {
      return this == EVERYTHING;
    }

    private Folding and(Folding other) {
      return compareTo(other) < 0 ? this : other;
    }
  }

  static final Schema NONE = new Schema(Folding.of(ServerKind.UNKNOWN), Map.of(), Map.of());

  private final Folding folding;
  private final Map<Octets, AttributeType> attributeTypes;
  private final Map<Octets, Octets> objectClasses;

  /** True if the directory is proved to show all entries as its own databases hold them. */
  private final boolean local;

  /**
   * Types that several directories define differently. Used only where treating too much as equal
   * is safe.
   */
  private final Map<Octets, AttributeType> disputed;

  /**
   * Creates a schema of one directory.
   *
   * @param attributeTypes by each name and OID in lower case
   * @param objectClasses the OID by each name and OID in lower case
   */
  Schema(
      Folding folding,
      Map<Octets, AttributeType> attributeTypes,
      Map<Octets, Octets> objectClasses) {
    this(folding, attributeTypes, objectClasses, Map.of(), false);
  }

  private Schema(
      Folding folding,
      Map<Octets, AttributeType> attributeTypes,
      Map<Octets, Octets> objectClasses,
      Map<Octets, AttributeType> disputed,
      boolean local) {
    this.folding = folding;
    this.attributeTypes = Map.copyOf(attributeTypes);
    this.objectClasses = Map.copyOf(objectClasses);
    this.disputed = Map.copyOf(disputed);
    this.local = local;
  }

  /**
   * Returns the facts that two directories have in common. A type that one of them lacks, or
   * defines differently, is unknown.
   */
  Schema and(Schema other) {
    Map<Octets, AttributeType> common = new HashMap<>();
    Map<Octets, AttributeType> differing = new HashMap<>();
    Set<Octets> names = new HashSet<>(attributeTypes.keySet());
    names.addAll(other.attributeTypes.keySet());
    names.addAll(disputed.keySet());
    names.addAll(other.disputed.keySet());
    for (Octets name : names) {
      AttributeType one = attributeTypes.get(name);
      AttributeType two = other.attributeTypes.get(name);
      if (one != null && two != null && one.isLike(two)) {
        common.put(name, one.and(two));
      } else {
        differing.put(name, either(wide(name), other.wide(name)));
      }
    }
    Map<Octets, Octets> classes = new HashMap<>(objectClasses);
    classes.entrySet().retainAll(other.objectClasses.entrySet());
    return new Schema(folding.and(other.folding), common, classes, differing, local && other.local);
  }

  private static AttributeType either(@Nullable AttributeType one, @Nullable AttributeType two) {
    AttributeType present = one == null ? Objects.requireNonNull(two, "one has the name") : one;
    return one == null || two == null ? present : one.and(two);
  }

  /**
   * Returns the type of a name in lower case, including disputed types that must not be used for
   * folding.
   */
  private @Nullable AttributeType wide(Octets name) {
    AttributeType known = attributeTypes.get(name);
    return known == null ? disputed.get(name) : known;
  }

  private @Nullable AttributeType wide(byte[] description, int length) {
    return wide(Octets.of(Ascii.lower(description, 0, length)));
  }

  /** Returns this schema for a directory that is proved to be local. */
  Schema ofLocal() {
    return new Schema(folding, attributeTypes, objectClasses, disputed, true);
  }

  public boolean isLocal() {
    return local;
  }

  public Folding folding() {
    return folding;
  }

  public boolean isKnown() {
    return !attributeTypes.isEmpty();
  }

  /**
   * Returns the type of exactly this name or OID; null if unknown, ambiguous or followed by
   * options.
   */
  @Nullable AttributeType attributeType(byte[] name) {
    return attributeType(name, name.length);
  }

  /** Returns the type named by the first {@code length} octets; null if unknown or ambiguous. */
  @Nullable AttributeType attributeType(byte[] description, int length) {
    return attributeTypes.get(Octets.of(Ascii.lower(description, 0, length)));
  }

  /**
   * Returns the OID, in lower case, of the class with that name or OID; the argument if unknown.
   */
  public byte[] objectClassKey(byte[] name) {
    Octets oid = objectClasses.get(Octets.of(Ascii.lower(name, 0, name.length)));
    return oid == null ? name : oid.array();
  }

  /**
   * Returns the wide key: equal for all names of one attribute type, without options. For comparing
   * a name with a list of names, where treating too much as equal is safe.
   */
  Octets wideKey(byte[] description) {
    int end = Description.typeLength(description);
    AttributeType type = wide(description, end);
    return type != null ? type.key() : WellKnownAttributes.resolve(description, end);
  }

  /** Returns the wide keys of the type, its supertypes and its subtypes. */
  public Set<Octets> related(byte[] description) {
    int end = Description.typeLength(description);
    AttributeType type = wide(description, end);
    return type != null ? type.related() : Set.of(WellKnownAttributes.resolve(description, end));
  }

  /**
   * Returns the wide keys of the type and of its subtypes, which a request for the type returns,
   * too.
   */
  public Set<Octets> withSubtypes(byte[] description) {
    int end = Description.typeLength(description);
    AttributeType type = wide(description, end);
    if (type == null) {
      return Set.of(WellKnownAttributes.resolve(description, end));
    }
    Set<Octets> all = new HashSet<>(type.related());
    all.removeAll(type.ancestors());
    all.add(type.key());
    return all;
  }

  /** True if the attribute is operational or unknown. */
  public boolean mayBeOperational(byte[] description) {
    AttributeType type = wide(description, Description.typeLength(description));
    return type == null || type.operational();
  }

  /** True if values of the attribute change without a write to the entry. */
  public boolean isVolatile(byte[] description) {
    int end = Description.typeLength(description);
    AttributeType type = wide(description, end);
    return type != null
        ? type.isVolatile()
        : WellKnownAttributes.isVolatile(new String(description, 0, end, ISO_8859_1));
  }
}
