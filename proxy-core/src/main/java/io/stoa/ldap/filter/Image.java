// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.ldap.schema.AttributeDescription;
import io.stoa.ldap.schema.AttributeType;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.Schema;
import io.stoa.ldap.schema.ServerProfile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One entry, prepared for the evaluation of filters.
 *
 * <p>Threading: thread-safe. The entry never changes; its values are prepared on first use.
 */
public final class Image {
  /**
   * Classes of special entries, which a directory shows or hides by other rules than the filter.
   */
  private static final Set<Octets> SPECIAL_CLASSES =
      Stream.of(
              "referral",
              "2.16.840.1.113730.3.2.6",
              "alias",
              "2.5.6.1",
              "subentry",
              "2.5.17.0",
              "ldapsubentry",
              "2.16.840.1.113719.2.142.6.1.1",
              "glue",
              "1.3.6.1.4.1.4203.666.3.4",
              "nstombstone",
              "2.16.840.1.113730.3.2.113",
              "dynamicobject",
              "1.3.6.1.4.1.1466.101.119.2")
          .map(Octets::ofUtf8)
          .collect(Collectors.toUnmodifiableSet());

  private final NormalDn dn;
  private final SearchEntry entry;
  private final boolean complete;
  private final Schema rules;
  private final List<PreparedAttribute> attributes = new ArrayList<>();
  private final Map<Octets, List<PreparedAttribute>> families = new ConcurrentHashMap<>();
  private final boolean unknownTypes;
  private final Set<Octets> classNames;
  private final Set<Octets> classes;

  /** Visits the keys of an entry's values, to find the queries indexed under them. */
  public interface KeyVisitor {
    /** True if a query is indexed under the type. */
    boolean wants(Octets type);

    /**
     * Called with keys of values of a type.
     *
     * @param keys as of {@link CoveringKeys.Key#value}
     * @param doubtful true if there are other values, which may equal any assertion
     */
    void visit(Octets type, Set<Octets> keys, boolean doubtful);
  }

  private Image(SearchEntry entry, boolean complete, ServerProfile profile) {
    this.dn = NormalDn.of(entry.dn(), profile);
    this.entry = entry;
    this.complete = complete;
    this.rules = profile.evaluationSchema();
    boolean unknown = false;
    for (AttributeOctets attribute : entry.attributes()) {
      AttributeDescription name = AttributeDescription.forEvaluation(attribute.type(), rules);
      unknown |= name == null || !name.type().isCertain();
      if (name != null) {
        attributes.add(new PreparedAttribute(name, attribute, profile));
      }
    }
    unknownTypes = unknown;
    classNames = readClassNames();
    classes = readClasses();
  }

  /**
   * Creates an image.
   *
   * @param complete true if all attributes of the entry are present, operational ones included.
   *     Otherwise a missing attribute proves nothing.
   */
  public static Image of(SearchEntry entry, boolean complete, ServerProfile profile) {
    return new Image(entry, complete, profile);
  }

  public NormalDn dn() {
    return dn;
  }

  public SearchEntry entry() {
    return entry;
  }

  public boolean isComplete() {
    return complete;
  }

  /**
   * True if a search may treat the entry differently than its filter demands. This holds for
   * referrals, subentries and the like, and for an entry without object classes. 389-ds returns a
   * reference for each entry that has the attribute {@code ref}, whatever its classes are.
   */
  public boolean isSpecial() {
    return !Collections.disjoint(classes, SPECIAL_CLASSES) || classes.isEmpty() || hasReference();
  }

  private boolean hasReference() {
    return attributes.stream()
        .anyMatch(attribute -> AttributeType.REFERENCE.equals(attribute.type().key()));
  }

  /** True if a missing attribute proves nothing. */
  boolean isPartial() {
    return !complete || unknownTypes;
  }

  /** True if the entry has attributes that the schema does not define. */
  boolean hasUnknownTypes() {
    return unknownTypes;
  }

  /**
   * Visits the keys under which queries for this entry may be indexed. For each attribute, these
   * are its values' keys under its type and all supertypes.
   */
  public void forEachKey(KeyVisitor visitor) {
    for (PreparedAttribute attribute : attributes) {
      for (Octets ancestor : attribute.type().assertable()) {
        if (visitor.wants(ancestor)) {
          visit(attribute, ancestor, visitor);
        }
      }
    }
  }

  private void visit(PreparedAttribute attribute, Octets ancestor, KeyVisitor visitor) {
    if (attribute.type().isObjectClass()) {
      visitor.visit(ancestor, classes, false);
      return;
    }
    AttributeType type = rules.type(ancestor.array());
    boolean alike =
        type != null && type.equality().comparison() == attribute.type().equality().comparison();
    PreparedAttribute.Values values = attribute.values();
    boolean doubtful = !alike || values.doubtful();
    visitor.visit(ancestor, values.exact(), doubtful);
    if (!doubtful && !values.possible().isEmpty()) {
      visitor.visit(ancestor, values.possible(), false);
    }
  }

  /**
   * True if the server reports that no entry is below this one (hasSubordinates). Otherwise there
   * may be entries below it that the account cannot see.
   */
  public boolean isLeaf() {
    return entry.attributes().stream().anyMatch(Image::isNoSubordinates);
  }

  private static boolean isNoSubordinates(AttributeOctets attribute) {
    String type = new String(attribute.type(), StandardCharsets.ISO_8859_1);
    if (!type.equalsIgnoreCase("hasSubordinates")) {
      return false;
    }
    byte[] only = attribute.only();
    return only != null && new String(only, StandardCharsets.ISO_8859_1).equals("FALSE");
  }

  /**
   * Returns the octets of all large attributes, such as those of a group with thousands of members.
   */
  public int largeOctets() {
    int sum = 0;
    for (PreparedAttribute attribute : attributes) {
      sum += attribute.largeOctets();
    }
    return sum;
  }

  /**
   * Prepares large attributes from an earlier state of the entry. Results of filters stay the same.
   */
  public void prepareLike(Image before) {
    for (PreparedAttribute attribute : attributes) {
      if (attribute.largeOctets() > 0) {
        before.attributes.stream()
            .filter(other -> other.name().equals(attribute.name()))
            .forEach(attribute::prepareLike);
      }
    }
  }

  /**
   * Returns the attributes that an assertion about the type applies to: the type and its subtypes.
   */
  List<PreparedAttribute> family(AttributeType type) {
    return families.computeIfAbsent(
        type.key(),
        key -> attributes.stream().filter(attribute -> attribute.type().isA(type)).toList());
  }

  /**
   * Returns the keys of the object classes and of all their superclasses. A class that the schema
   * does not define has its name, in lower case, as key.
   */
  Set<Octets> classes() {
    return classes;
  }

  /** Returns the object classes as written in the entry, in lower case. */
  Set<Octets> classNames() {
    return classNames;
  }

  private Set<Octets> readClassNames() {
    return attributes.stream()
        .filter(attribute -> attribute.type().isObjectClass())
        .flatMap(attribute -> attribute.raw().stream())
        .map(value -> Ascii.lowerKey(value, value.length))
        .collect(Collectors.toUnmodifiableSet());
  }

  private Set<Octets> readClasses() {
    Set<Octets> keys = new HashSet<>();
    for (Octets name : classNames) {
      Octets key = rules.classes().key(name.array());
      keys.addAll(key == null ? Set.of(name) : rules.classes().ancestors(key));
    }
    return Set.copyOf(keys);
  }
}
