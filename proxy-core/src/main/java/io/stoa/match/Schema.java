// SPDX-License-Identifier: Apache-2.0
package io.stoa.match;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stoa.ldap.Octets;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The directory's schema, as far as it decides keys. Immutable. */
final class Schema {
  /** How much may be folded for one kind of directory, once its schema is known. */
  enum Folding {
    NOTHING,

    /**
     * Letter case, of attribute names in filters and of values that are compared without regard to
     * it: no directory may tell these apart. Whether it knows aliases and OIDs, how it orders an
     * answer, how it spells a DN in it and what it makes of spaces differs.
     */
    LETTER_CASE,

    /** All that this package knows of; compared with what the directory answers. */
    EVERYTHING;

    static Folding of(ServerKind kind) {
      return switch (kind) {
        case OPENLDAP -> EVERYTHING;
        case DS389, OTHER -> LETTER_CASE;
        case UNKNOWN -> NOTHING;
      };
    }

    boolean letterCase() {
      return this != NOTHING;
    }

    boolean everything() {
      return this == EVERYTHING;
    }
  }

  static final Schema NONE = new Schema(Folding.of(ServerKind.UNKNOWN), Map.of(), Map.of());

  private final Folding folding;
  private final Map<Octets, AttributeType> attributeTypes;
  private final Map<Octets, Octets> objectClasses;

  /**
   * @param attributeTypes by each name and OID in lower case
   * @param objectClasses the OID by each name and OID in lower case
   */
  Schema(
      Folding folding,
      Map<Octets, AttributeType> attributeTypes,
      Map<Octets, Octets> objectClasses) {
    this.folding = folding;
    this.attributeTypes = Map.copyOf(attributeTypes);
    this.objectClasses = Map.copyOf(objectClasses);
  }

  Folding folding() {
    return folding;
  }

  boolean isKnown() {
    return !attributeTypes.isEmpty();
  }

  /** The type of that very name or OID; null if unknown, ambiguous or followed by options. */
  @Nullable AttributeType attributeType(byte[] name) {
    return attributeType(name, name.length);
  }

  /** The type named by the first {@code length} octets. */
  @Nullable AttributeType attributeType(byte[] description, int length) {
    return attributeTypes.get(Octets.of(Ascii.lower(description, 0, length)));
  }

  /** The OID, in lower case, of the class of that name or OID; the very octets if unknown. */
  byte[] objectClassKey(byte[] name) {
    Octets oid = objectClasses.get(Octets.of(Ascii.lower(name, 0, name.length)));
    return oid == null ? name : oid.array();
  }

  /**
   * The same for all names of one attribute type, options left out; for comparing what is named
   * with a list of names, where taking too much for equal is the safe side.
   */
  Octets wideKey(byte[] description) {
    int end = Description.typeLength(description);
    AttributeType type = attributeType(description, end);
    return type != null ? type.key() : WellKnownAttributes.resolve(description, end);
  }

  /** The wide keys of everything that a description may stand for: sub- and supertypes too. */
  Set<Octets> related(byte[] description) {
    int end = Description.typeLength(description);
    AttributeType type = attributeType(description, end);
    return type != null ? type.related() : Set.of(WellKnownAttributes.resolve(description, end));
  }

  /** Whether values of what is named change without a write to the entry. */
  boolean isVolatile(byte[] description) {
    int end = Description.typeLength(description);
    AttributeType type = attributeType(description, end);
    return type != null
        ? type.isVolatile()
        : WellKnownAttributes.isVolatile(new String(description, 0, end, ISO_8859_1));
  }
}
