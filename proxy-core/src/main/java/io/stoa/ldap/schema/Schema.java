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
 * The directory's schema, read once from its subschema entry: the attribute types and the object
 * classes.
 *
 * <p>The schema has two users. Keys of requests fold what is equal in all directories behind the
 * proxy, so the schemas of several directories are merged ({@link #and}). Filters are evaluated by
 * the schema of exactly one directory ({@link #isExact}).
 *
 * <p>Threading: immutable.
 */
public final class Schema {
  /** The schema of an unknown directory: nothing is folded, and every assertion is UNKNOWN. */
  public static final Schema NONE =
      new Schema(ServerKind.UNKNOWN, Map.of(), Map.of(), ClassTree.NONE, false);

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

    public boolean foldsLetterCase() {
      return this != NOTHING;
    }

    public boolean foldsEverything() {
      return this == EVERYTHING;
    }
  }

  private final ServerKind kind;
  private final Folding folding;
  private final Map<Octets, AttributeType> attributeTypes;
  private final ClassTree classes;

  /** Types that are not used for folding, by name, for the evaluation of filters. */
  private final Map<Octets, AttributeType> ambiguous;

  /** True if a name that is unknown here belongs to no attribute type of the directory. */
  private final boolean complete;

  /** True if this is the schema of one directory, and not what several have in common. */
  private final boolean single;

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
   * @param ambiguous types for the names that several definitions claim
   * @param complete true if every definition could be read
   */
  Schema(
      ServerKind kind,
      Map<Octets, AttributeType> attributeTypes,
      Map<Octets, AttributeType> ambiguous,
      ClassTree classes,
      boolean complete) {
    this(
        kind,
        new Types(attributeTypes, ambiguous, Map.of()),
        classes,
        new Extent(complete, true, false));
  }

  private Schema(ServerKind kind, Types types, ClassTree classes, Extent extent) {
    this.kind = kind;
    this.folding = Folding.of(kind);
    this.attributeTypes = Map.copyOf(types.known());
    this.ambiguous = Map.copyOf(types.ambiguous());
    this.disputed = Map.copyOf(types.disputed());
    this.classes = classes;
    this.complete = extent.whole();
    this.single = extent.single();
    this.local = extent.local();
  }

  /** The maps of attribute types by name. Threading: immutable. */
  private record Types(
      Map<Octets, AttributeType> known,
      Map<Octets, AttributeType> ambiguous,
      Map<Octets, AttributeType> disputed) {}

  /** Properties of the whole schema; see the fields. Threading: immutable. */
  private record Extent(boolean whole, boolean single, boolean local) {}

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
      AttributeType type = attributeTypes.get(name);
      AttributeType two = other.attributeTypes.get(name);
      if (type != null && two != null && type.isLike(two)) {
        common.put(name, type.and(two));
      } else {
        differing.put(name, either(wide(name), other.wide(name)));
      }
    }
    return new Schema(
        kind.and(other.kind),
        new Types(common, Map.of(), differing),
        classes.and(other.classes),
        new Extent(false, false, local && other.local));
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
    AttributeType type = attributeTypes.get(name);
    return type == null ? disputed.get(name) : type;
  }

  private @Nullable AttributeType wide(byte[] description, int length) {
    return wide(Ascii.lowerKey(description, length));
  }

  /** Returns this schema for a directory that is proved to be local. */
  Schema ofLocal() {
    return new Schema(
        kind,
        new Types(attributeTypes, ambiguous, disputed),
        classes,
        new Extent(complete, single, true));
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
    return attributeTypes.get(Ascii.lowerKey(description, length));
  }

  /**
   * Returns the OID, in lower case, of the class with that name or OID; the argument if unknown.
   */
  public byte[] objectClassKey(byte[] name) {
    Octets oid = classes.key(name);
    return oid == null ? name : oid.array();
  }

  /**
   * Returns the wide key: equal for all names of one attribute type, without options. For comparing
   * a name with a list of names, where treating too much as equal is safe.
   */
  Octets wideKey(byte[] description) {
    int end = AttributeDescription.typeLength(description);
    AttributeType type = wide(description, end);
    return type != null ? type.key() : WellKnownAttributes.resolve(description, end);
  }

  /** Returns the wide keys of the type, its supertypes and its subtypes. */
  public Set<Octets> related(byte[] description) {
    int end = AttributeDescription.typeLength(description);
    AttributeType type = wide(description, end);
    return type != null ? type.related() : Set.of(WellKnownAttributes.resolve(description, end));
  }

  /**
   * Returns the wide keys of the type and of its subtypes, which a request for the type returns,
   * too.
   */
  public Set<Octets> withSubtypes(byte[] description) {
    int end = AttributeDescription.typeLength(description);
    AttributeType type = wide(description, end);
    if (type == null) {
      return Set.of(WellKnownAttributes.resolve(description, end));
    }
    if (type.related().size() == 1) {
      return type.related(); // the type alone
    }
    Set<Octets> all = new HashSet<>(type.related());
    all.removeAll(type.ancestors());
    all.add(type.key());
    return all;
  }

  /** True if the attribute is operational or unknown. */
  public boolean mayBeOperational(byte[] description) {
    AttributeType type = wide(description, AttributeDescription.typeLength(description));
    return type == null || type.operational();
  }

  /** True if values of the attribute change without a write to the entry. */
  public boolean isVolatile(byte[] description) {
    int end = AttributeDescription.typeLength(description);
    AttributeType type = wide(description, end);
    return type != null
        ? type.isVolatile()
        : WellKnownAttributes.isVolatile(new String(description, 0, end, ISO_8859_1));
  }

  /**
   * True if filters can be evaluated by this schema: it describes one directory, and a server of a
   * kind that was tested.
   */
  boolean isExact() {
    return single && (kind == ServerKind.OPENLDAP || kind == ServerKind.DS389);
  }

  public ServerKind kind() {
    return kind;
  }

  /**
   * Returns the type of a description for the evaluation of filters, without regard to options;
   * null if unknown.
   */
  public @Nullable AttributeType type(byte[] description) {
    Octets name = Ascii.lowerKey(description, AttributeDescription.typeLength(description));
    AttributeType type = attributeTypes.get(name);
    return type == null ? ambiguous.get(name) : type;
  }

  /**
   * Returns one key for all names of an attribute type, without options; an unknown name is its own
   * key, in lower case.
   */
  public Octets typeKey(byte[] description) {
    AttributeType type = type(description);
    return type == null
        ? Ascii.lowerKey(description, AttributeDescription.typeLength(description))
        : type.key();
  }

  /** Returns the keys of the type and of all its known supertypes. */
  public Set<Octets> typeKeys(byte[] description) {
    AttributeType type = type(description);
    return type == null || !type.isCertain() ? Set.of(typeKey(description)) : type.assertable();
  }

  /**
   * True if entries take the attribute's values from an entry above them (collective attribute).
   */
  public boolean isCollective(byte[] description) {
    AttributeType type = type(description);
    return type != null && type.derived() == AttributeType.Derived.COLLECTIVE;
  }

  /** True if a name that is unknown here belongs to no attribute type of the directory. */
  public boolean knowsAllNames() {
    return complete;
  }

  public ClassTree classes() {
    return classes;
  }
}
