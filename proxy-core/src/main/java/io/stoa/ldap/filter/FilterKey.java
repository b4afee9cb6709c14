// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.FilterNode.And;
import io.stoa.ldap.protocol.FilterNode.Approximate;
import io.stoa.ldap.protocol.FilterNode.Equality;
import io.stoa.ldap.protocol.FilterNode.Extensible;
import io.stoa.ldap.protocol.FilterNode.GreaterOrEqual;
import io.stoa.ldap.protocol.FilterNode.LessOrEqual;
import io.stoa.ldap.protocol.FilterNode.Not;
import io.stoa.ldap.protocol.FilterNode.Or;
import io.stoa.ldap.protocol.FilterNode.Present;
import io.stoa.ldap.protocol.FilterNode.Substrings;
import io.stoa.ldap.protocol.FilterNode.Unknown;
import io.stoa.ldap.protocol.RequestScanner;
import io.stoa.ldap.schema.AttributeDescription;
import io.stoa.ldap.schema.DnKey;
import io.stoa.ldap.schema.KeyWriter;
import io.stoa.ldap.schema.Schema;
import io.stoa.ldap.schema.ValueFolding.ValueRule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The octets that represent a filter in cache keys. Each node is self-delimiting: its kind, then
 * its parts.
 *
 * <p>A key is written with its values, or without them: {@link ValueSlots} then receives the place
 * and the folding of each value. Members of a conjunction or disjunction are sorted by what is
 * written. So the order of values in a key without them depends on their attributes only.
 *
 * <p>A double negation is kept: slapd examines every entry for a NOT, and may then return entries
 * in another order.
 *
 * <p>Threading: immutable.
 */
final class FilterKey {
  private static final int AND = 0;
  private static final int OR = 1;
  private static final int NOT = 2;
  private static final int EQUALITY = 3;
  private static final int SUBSTRINGS = 4;
  private static final int GREATER_OR_EQUAL = 5;
  private static final int LESS_OR_EQUAL = 6;
  private static final int PRESENT = 7;
  private static final int APPROXIMATE = 8;
  private static final int EXTENSIBLE = 9;
  private static final int UNKNOWN = 10;

  private final Schema schema;
  private final boolean foldsMembers;

  FilterKey(Schema schema) {
    this.schema = schema;
    foldsMembers = schema.isKnown() && schema.folding().foldsEverything();
  }

  /**
   * Writes the key of a filter.
   *
   * @param slots {@link ValueSlots#NONE} to write the values too; else receives them
   */
  void write(FilterNode filter, KeyWriter key, ValueSlots slots) {
    if (filter instanceof And and) {
      writeMembers(AND, and.members(), key, slots);
    } else if (filter instanceof Or or) {
      writeMembers(OR, or.members(), key, slots);
    } else if (filter instanceof Not not) {
      write(not.member(), key.octet(NOT), slots);
    } else if (filter instanceof Equality equality) {
      boolean fixed = RequestScanner.isPartOfShape(equality.attribute());
      writeAssertion(
          equality.attribute(),
          equality.value(),
          key.octet(EQUALITY),
          fixed ? ValueSlots.NONE : slots);
    } else if (filter instanceof Present present) {
      writeAttribute(present.attribute(), key.octet(PRESENT));
    } else if (filter instanceof Substrings substrings) {
      writeSubstrings(substrings, key, slots);
    } else {
      writeExact(filter, key, slots);
    }
  }

  /** Writes a filter whose comparison only the directory knows: values are kept verbatim. */
  private void writeExact(FilterNode filter, KeyWriter key, ValueSlots slots) {
    if (filter instanceof GreaterOrEqual node) {
      writeAttribute(node.attribute(), key.octet(GREATER_OR_EQUAL));
      writeValue(node.value(), ValueRule.EXACT, key, slots);
    } else if (filter instanceof LessOrEqual node) {
      writeAttribute(node.attribute(), key.octet(LESS_OR_EQUAL));
      writeValue(node.value(), ValueRule.EXACT, key, slots);
    } else if (filter instanceof Approximate node) {
      writeAttribute(node.attribute(), key.octet(APPROXIMATE));
      writeValue(node.value(), ValueRule.EXACT, key, slots);
    } else if (filter instanceof Extensible node) {
      key.octet(EXTENSIBLE).octet(node.dnAttributes() ? 1 : 0);
      writeOptional(node.rule(), key);
      writeOptional(node.attribute(), key);
      writeValue(node.value(), ValueRule.EXACT, key, slots);
    } else if (filter instanceof Unknown node) {
      key.octet(UNKNOWN).string(node.octets());
    } else {
      throw new IllegalArgumentException("no key for " + filter.getClass().getSimpleName());
    }
  }

  private void writeMembers(int kind, List<FilterNode> members, KeyWriter key, ValueSlots slots) {
    if (!foldsMembers || members.isEmpty()) {
      key.octet(kind).number(members.size());
      members.forEach(member -> write(member, key, slots));
      return;
    }
    List<Member> keys = new ArrayList<>(members.size());
    collect(kind, members, keys, slots);
    keys.sort(Comparator.comparing(Member::key, Arrays::compareUnsigned));
    int distinct = dropRepeated(keys, slots);
    if (distinct > 1) {
      key.octet(kind).number(distinct);
    }
    for (Member member : keys.subList(0, distinct)) {
      key.raw(member.key());
      slots.addAll(member.slots());
    }
  }

  /** The key of a member, and the slots of its values. */
  private record Member(byte[] key, ValueSlots slots) {}

  /**
   * Adds the keys of the members. A non-empty member of the same kind is replaced with its own
   * members.
   */
  private void collect(int kind, List<FilterNode> members, List<Member> keys, ValueSlots slots) {
    for (FilterNode member : members) {
      List<FilterNode> inner = membersOf(kind, member);
      if (inner.isEmpty()) {
        KeyWriter key = new KeyWriter(48);
        ValueSlots own = slots.ofMember();
        write(member, key, own);
        keys.add(new Member(key.toByteArray(), own));
      } else {
        collect(kind, inner, keys, slots);
      }
    }
  }

  private static List<FilterNode> membersOf(int kind, FilterNode member) {
    if (kind == AND && member instanceof And and) {
      return and.members();
    }
    return kind == OR && member instanceof Or or ? or.members() : List.of();
  }

  /**
   * Moves distinct keys to the front of the sorted list, and returns their number. Equal keys
   * without their values are ambiguous: the values decide their order, and whether they are equal.
   */
  private static int dropRepeated(List<Member> sorted, ValueSlots slots) {
    int distinct = 1;
    for (int index = 1; index < sorted.size(); index++) {
      Member member = sorted.get(index);
      if (!Arrays.equals(member.key(), sorted.get(distinct - 1).key())) {
        sorted.set(distinct++, member);
      } else if (!member.slots().isEmpty()) {
        slots.markAmbiguous();
      }
    }
    return distinct;
  }

  private void writeSubstrings(Substrings filter, KeyWriter key, ValueSlots slots) {
    writeAttribute(filter.attribute(), key.octet(SUBSTRINGS));
    AttributeDescription description = describe(filter.attribute());
    boolean folds = description != null && description.type().folding().foldsSubstrings();
    // Spaces of a part are kept, since their meaning depends on the neighbouring parts.
    ValueRule rule = folds ? ValueRule.IGNORE_CASE : ValueRule.EXACT;
    writePart(filter.initial(), rule, key, slots);
    key.number(filter.any().size());
    filter.any().forEach(any -> writePart(any, rule, key, slots));
    writePart(filter.last(), rule, key, slots);
  }

  /** Writes a part of a substring filter. An empty part is no value: it belongs to the shape. */
  private void writePart(byte @Nullable [] part, ValueRule rule, KeyWriter key, ValueSlots slots) {
    if (part == null) {
      key.octet(0);
    } else {
      writeValue(part, rule, key.octet(1), part.length == 0 ? ValueSlots.NONE : slots);
    }
  }

  void writeAssertion(byte[] attribute, byte[] value, KeyWriter key, ValueSlots slots) {
    AttributeDescription description = describe(attribute);
    if (description == null) {
      writeValue(value, ValueRule.EXACT, key.string(attribute), slots);
    } else {
      key.string(name(attribute, description));
      writeValue(value, description.type().folding().rule(), key, slots);
    }
  }

  private void writeValue(byte[] value, ValueRule rule, KeyWriter key, ValueSlots slots) {
    if (slots == ValueSlots.NONE) {
      key.string(fold(value, rule));
    } else {
      slots.add(rule, key);
    }
  }

  /** Returns a value as it is written in keys. */
  byte[] fold(byte[] value, ValueRule rule) {
    return switch (rule) {
      case EXACT -> value;
      case IGNORE_CASE ->
          Ascii.isPrintableText(value) ? Ascii.lower(value, 0, value.length) : value;
      case IGNORE_CASE_AND_SPACES ->
          Ascii.isPrintableText(value) ? Ascii.lowerAndSqueeze(value) : value;
      case OBJECT_CLASS -> schema.objectClassKey(value);
      case DN -> DnKey.of(value, schema);
    };
  }

  private void writeAttribute(byte[] attribute, KeyWriter key) {
    AttributeDescription description = describe(attribute);
    key.string(description == null ? attribute : name(attribute, description));
  }

  private byte[] name(byte[] attribute, AttributeDescription description) {
    return schema.folding().foldsEverything()
        ? description.key()
        : Ascii.lower(attribute, 0, attribute.length);
  }

  /**
   * Returns the parsed description; null if it must be kept verbatim. An unknown name is kept:
   * either it matches nothing, or it belongs to a server behind this one, whose rules apply.
   */
  private @Nullable AttributeDescription describe(byte[] attribute) {
    return schema.folding().foldsLetterCase()
        ? AttributeDescription.forKey(attribute, schema)
        : null;
  }

  private static void writeOptional(byte @Nullable [] value, KeyWriter key) {
    if (value == null) {
      key.octet(0);
    } else {
      key.octet(1).string(value);
    }
  }
}
