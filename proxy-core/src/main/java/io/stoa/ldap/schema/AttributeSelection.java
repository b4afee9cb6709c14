// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Octets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attribute list of a search request (RFC 4511, section 4.5.1.8), and the attributes that it
 * selects.
 *
 * <p>Two lists are equal if the schema proves that they hold the same names, in any order and
 * spelling. Without such a schema, they are equal if their octets are equal.
 *
 * <p>Octets: 40, the key (24 and its array), a list of 24 with the names as requested, and a list
 * of 24 with their descriptions, whose array takes 56 for up to ten. {@link #size} estimates the
 * sum.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A response to a list contains every response to each list that it {@link #covers}.
 *   <li>A list with a name that {@link AttributeDescription#forKey} rejects is covered by equal
 *       lists only.
 * </ol>
 *
 * <p>Threading: immutable.
 */
public final class AttributeSelection {
  private static final Octets ALL_USER = Octets.ofUtf8("*");
  private static final Octets ALL_OPERATIONAL = Octets.ofUtf8("+");
  private static final Octets NONE = Octets.ofUtf8("1.1");

  /** Estimated octets of a list, without its items. */
  private static final int OVERHEAD = 150;

  /** Estimated octets of an item, without its name. */
  private static final int EACH = 60;

  private final Schema schema;
  private final Octets key;
  private final List<byte[]> requested;
  private final List<AttributeDescription> descriptions = new ArrayList<>();
  private final int nameOctets;
  private boolean allUser;
  private boolean allOperational;

  /** True if {@link #descriptions} and the two flags describe the whole list. */
  private boolean understood = true;

  private AttributeSelection(List<byte[]> attributes, Schema schema) {
    this.schema = schema;
    requested = List.copyOf(attributes);
    key = key(attributes, schema);
    allUser = attributes.isEmpty();
    attributes.forEach(this::add);
    nameOctets = attributes.stream().mapToInt(name -> name.length).sum();
  }

  /** Returns its estimated memory in octets. */
  public int size() {
    return OVERHEAD + key.length() + nameOctets + requested.size() * EACH;
  }

  public static AttributeSelection of(List<byte[]> attributes, ServerProfile profile) {
    return new AttributeSelection(attributes, profile.schema());
  }

  /**
   * Returns the key of the list. slapd returns attributes in the order of the entry and spelled as
   * in the schema. For slapd, the key is therefore made of the sorted set of names.
   */
  public static Octets key(List<byte[]> attributes, Schema schema) {
    KeyWriter key = new KeyWriter(64);
    if (schema.folding().foldsEverything() && schema.isKnown()) {
      attributes.stream()
          .map(attribute -> nameKey(attribute, schema))
          .sorted()
          .distinct()
          .forEach(name -> key.string(name.array()));
    } else {
      attributes.forEach(key::string);
    }
    return Octets.of(key.toByteArray());
  }

  /**
   * Returns the key of a name. The first octet separates names that the schema defines from all
   * others.
   */
  private static Octets nameKey(byte[] attribute, Schema schema) {
    AttributeDescription description = AttributeDescription.forKey(attribute, schema);
    byte[] name = description == null ? attribute : description.key();
    return Octets.of(
        new KeyWriter(1 + name.length).octet(description == null ? 0 : 1).raw(name).toByteArray());
  }

  private void add(byte[] attribute) {
    Octets item = Octets.of(attribute);
    if (item.equals(ALL_USER)) {
      allUser = true;
    } else if (item.equals(ALL_OPERATIONAL)) {
      allOperational = true;
    } else if (!item.equals(NONE)) {
      AttributeDescription description = AttributeDescription.forKey(attribute, schema);
      understood &= description != null;
      if (description != null) {
        descriptions.add(description);
      }
    }
  }

  /**
   * True if a response to this list is known to contain every response to the narrower list, in the
   * same order and spelling. The narrower response results from removing the attributes that {@link
   * #selects} rejects.
   *
   * <p>An equal list is always covered. Otherwise the directory must be a slapd that is proved to
   * be local ({@link Schema#isLocal}). Such a slapd returns attributes in the order of the entry,
   * spelled as in the schema, for any list. 389 Directory Server spells them as the client did. A
   * slapd that queries another server, or has an overlay such as dynlist or rwm, is not local. Some
   * of its attributes and values appear only in responses to lists that name them.
   */
  public boolean covers(AttributeSelection narrower) {
    if (equals(narrower)) {
      return true;
    }
    if (!schema.isLocal() || !schemaDecides() || !narrower.understood) {
      return false;
    }
    if (narrower.allOperational) {
      return takesAlike(narrower);
    }
    return (!narrower.allUser || takesAllUserAndKnown())
        && narrower.descriptions.stream().allMatch(this::takes);
  }

  private boolean schemaDecides() {
    return schema.folding().foldsEverything() && schema.isKnown();
  }

  /**
   * True if {@link #selects} decides which attributes of a whole entry, operational ones included,
   * the directory returns to this list. All of them must be in the order and spelling of the entry.
   */
  public boolean cutsWholeEntries() {
    return schemaDecides()
        && understood
        && !allOperational
        && descriptions.stream().allMatch(name -> name.type().isProjectable());
  }

  /**
   * True if both lists select everything, or both select all operational attributes and nothing
   * else.
   */
  private boolean takesAlike(AttributeSelection other) {
    return allOperational
        && understood
        && allUser == other.allUser
        && isRedundant(descriptions)
        && isRedundant(other.descriptions);
  }

  private boolean isRedundant(List<AttributeDescription> names) {
    return names.stream()
        .allMatch(name -> name.type().isProjectable() && (allUser || name.type().operational()));
  }

  /**
   * True if the list selects all user attributes and, besides these, known names only. slapd can
   * hide attribute types: a returned attribute that the schema lacks is then a user attribute.
   */
  private boolean takesAllUserAndKnown() {
    return allUser && !allOperational && understood;
  }

  private boolean takes(AttributeDescription name) {
    if (!name.type().isProjectable()) {
      return false;
    }
    boolean byKind = name.type().operational() ? allOperational : allUser;
    return byKind || descriptions.stream().anyMatch(name::isSubtypeOf);
  }

  /**
   * True if the response to this list contains the attribute, provided that the response to a list
   * that {@link #covers} this one does. Not needed for an equal list, whose response is used
   * unchanged.
   */
  public boolean selects(byte[] attributeType) {
    if (!schemaDecides() || !understood || allOperational) {
      return true;
    }
    AttributeDescription returned = AttributeDescription.forKey(attributeType, schema);
    if (returned == null) {
      return allUser;
    }
    return (allUser && !returned.type().operational())
        || descriptions.stream().anyMatch(returned::isSubtypeOf);
  }

  /** True if the list names an attribute whose values change without a write to the entry. */
  public boolean namesVolatile() {
    for (byte[] attribute : requested) {
      if (schema.isVolatile(attribute)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AttributeSelection that && key.equals(that.key);
  }

  @Override
  public int hashCode() {
    return key.hashCode();
  }

  @Override
  public String toString() {
    return "AttributeSelection[" + requested.size() + "]";
  }
}
