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
import io.stoa.ldap.schema.AttributeDescription;
import io.stoa.ldap.schema.DnKey;
import io.stoa.ldap.schema.KeyWriter;
import io.stoa.ldap.schema.Schema;
import io.stoa.ldap.schema.ValueFolding.ValueRule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The octets that represent a filter in cache keys. Each node is self-delimiting: its kind, then
 * its parts.
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

  void write(FilterNode filter, KeyWriter key) {
    if (filter instanceof And and) {
      writeMembers(AND, and.members(), key);
    } else if (filter instanceof Or or) {
      writeMembers(OR, or.members(), key);
    } else if (filter instanceof Not not) {
      write(not.member(), key.octet(NOT));
    } else if (filter instanceof Equality equality) {
      writeAssertion(equality.attribute(), equality.value(), key.octet(EQUALITY));
    } else if (filter instanceof Present present) {
      writeAttribute(present.attribute(), key.octet(PRESENT));
    } else if (filter instanceof Substrings substrings) {
      writeSubstrings(substrings, key);
    } else {
      writeExact(filter, key);
    }
  }

  /** Writes a filter whose comparison only the directory knows: values are kept verbatim. */
  private void writeExact(FilterNode filter, KeyWriter key) {
    if (filter instanceof GreaterOrEqual node) {
      writeAttribute(node.attribute(), key.octet(GREATER_OR_EQUAL));
      key.string(node.value());
    } else if (filter instanceof LessOrEqual node) {
      writeAttribute(node.attribute(), key.octet(LESS_OR_EQUAL));
      key.string(node.value());
    } else if (filter instanceof Approximate node) {
      writeAttribute(node.attribute(), key.octet(APPROXIMATE));
      key.string(node.value());
    } else if (filter instanceof Extensible node) {
      key.octet(EXTENSIBLE).octet(node.dnAttributes() ? 1 : 0);
      writeOptional(node.rule(), key);
      writeOptional(node.attribute(), key);
      key.string(node.value());
    } else if (filter instanceof Unknown node) {
      key.octet(UNKNOWN).string(node.octets());
    } else {
      throw new IllegalArgumentException("no key for " + filter.getClass().getSimpleName());
    }
  }

  private void writeMembers(int kind, List<FilterNode> members, KeyWriter key) {
    if (!foldsMembers || members.isEmpty()) {
      key.octet(kind).number(members.size());
      members.forEach(member -> write(member, key));
      return;
    }
    List<byte[]> keys = new ArrayList<>(members.size());
    collect(kind, members, keys);
    keys.sort(Arrays::compareUnsigned);
    int distinct = dropRepeated(keys);
    if (distinct > 1) {
      key.octet(kind).number(distinct);
    }
    keys.subList(0, distinct).forEach(key::raw);
  }

  /**
   * Adds the keys of the members. A non-empty member of the same kind is replaced with its own
   * members.
   */
  private void collect(int kind, List<FilterNode> members, List<byte[]> keys) {
    for (FilterNode member : members) {
      List<FilterNode> inner = membersOf(kind, member);
      if (inner.isEmpty()) {
        KeyWriter key = new KeyWriter(48);
        write(member, key);
        keys.add(key.toByteArray());
      } else {
        collect(kind, inner, keys);
      }
    }
  }

  private static List<FilterNode> membersOf(int kind, FilterNode member) {
    if (kind == AND && member instanceof And and) {
      return and.members();
    }
    return kind == OR && member instanceof Or or ? or.members() : List.of();
  }

  /** Moves distinct keys to the front of the sorted list, and returns their number. */
  private static int dropRepeated(List<byte[]> sorted) {
    int distinct = 1;
    for (int index = 1; index < sorted.size(); index++) {
      if (!Arrays.equals(sorted.get(index), sorted.get(distinct - 1))) {
        sorted.set(distinct++, sorted.get(index));
      }
    }
    return distinct;
  }

  private void writeSubstrings(Substrings filter, KeyWriter key) {
    writeAttribute(filter.attribute(), key.octet(SUBSTRINGS));
    AttributeDescription description = describe(filter.attribute());
    boolean folds = description != null && description.type().folding().foldsSubstrings();
    writeOptional(part(filter.initial(), folds), key);
    key.number(filter.any().size());
    filter.any().forEach(any -> writeOptional(part(any, folds), key));
    writeOptional(part(filter.last(), folds), key);
  }

  /**
   * Folds letter case of a substring part. Spaces are kept, since their meaning depends on the
   * neighbouring parts.
   */
  private static byte @Nullable [] part(byte @Nullable [] value, boolean folds) {
    if (value == null || !folds || !Ascii.isPrintableText(value)) {
      return value;
    }
    return Ascii.lower(value, 0, value.length);
  }

  void writeAssertion(byte[] attribute, byte[] value, KeyWriter key) {
    AttributeDescription description = describe(attribute);
    if (description == null) {
      key.string(attribute).string(value);
    } else {
      key.string(name(attribute, description))
          .string(fold(value, description.type().folding().rule()));
    }
  }

  private byte[] fold(byte[] value, ValueRule rule) {
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
