// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.filter.CoveringKeys.Key;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeDescription;
import io.stoa.ldap.schema.AttributeType;
import io.stoa.ldap.schema.ValueComparison;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One node of a {@link FilterProgram}.
 *
 * <p>Threading: immutable.
 */
sealed interface Node {
  Truth test(Image image);

  /** Returns covering keys: each entry for which this node may be TRUE has at least one of them. */
  CoveringKeys cover(CoveringKeys.LookupCost cost);

  /** Conjunction; TRUE if empty (RFC 4526). */
  record And(List<Node> members) implements Node {
    @Override
    public Truth test(Image image) {
      Truth result = Truth.TRUE;
      for (Node member : members) {
        result = result.and(member.test(image));
        if (result == Truth.FALSE) {
          return result;
        }
      }
      return result;
    }

    /** Returns the cheapest covering set of a member: each one covers the conjunction. */
    @Override
    public CoveringKeys cover(CoveringKeys.LookupCost cost) {
      CoveringKeys best = CoveringKeys.NONE;
      for (Node member : members) {
        CoveringKeys other = member.cover(cost);
        best = other.load(cost) < best.load(cost) ? other : best;
      }
      return best;
    }
  }

  /** Disjunction; FALSE if empty (RFC 4526). */
  record Or(List<Node> members) implements Node {
    @Override
    public Truth test(Image image) {
      Truth result = Truth.FALSE;
      for (Node member : members) {
        result = result.or(member.test(image));
        if (result == Truth.TRUE) {
          return result;
        }
      }
      return result;
    }

    @Override
    public CoveringKeys cover(CoveringKeys.LookupCost cost) {
      CoveringKeys combined = new CoveringKeys(List.of());
      for (Node member : members) {
        combined = combined.or(member.cover(cost));
      }
      return combined;
    }
  }

  record Not(Node member) implements Node {
    @Override
    public Truth test(Image image) {
      return member.test(image).not();
    }

    @Override
    public CoveringKeys cover(CoveringKeys.LookupCost cost) {
      return CoveringKeys.NONE;
    }
  }

  /**
   * A filter that only the directory can evaluate.
   *
   * @param type matching entries must have a value of this type; null if there is no such type
   */
  record Unknown(@Nullable AttributeType type) implements Node {
    @Override
    public Truth test(Image image) {
      boolean lacksIt = type != null && !image.isPartial() && image.family(type).isEmpty();
      return lacksIt ? Truth.NO_MATCH : Truth.UNKNOWN;
    }

    @Override
    public CoveringKeys cover(CoveringKeys.LookupCost cost) {
      return type == null ? CoveringKeys.NONE : CoveringKeys.of(Key.any(type));
    }
  }

  /**
   * An assertion whose type or value the directory does not accept.
   *
   * @param truth the value for an entry whose attribute types are all known
   */
  record Undefined(Truth truth) implements Node {
    @Override
    public Truth test(Image image) {
      return image.hasUnknownTypes() ? Truth.UNKNOWN : truth;
    }

    @Override
    public CoveringKeys cover(CoveringKeys.LookupCost cost) {
      return CoveringKeys.NONE;
    }
  }

  /** An assertion about the values of an attribute, evaluated for each value. */
  sealed interface Leaf extends Node {
    AttributeDescription attribute();

    /**
     * True if the assertion may be Undefined. With options this is unknown, since servers do not
     * publish the options that they support.
     */
    default boolean mayBeUndefined() {
      return !attribute().options().isEmpty();
    }

    /** Evaluates the assertion for one of the attributes that it applies to. */
    Truth test(PreparedAttribute attribute);

    @Override
    default Truth test(Image image) {
      Truth result = Truth.FALSE;
      for (PreparedAttribute attribute : image.family(attribute().type())) {
        if (attribute.name().isA(attribute())) {
          result = result.or(test(attribute));
        }
      }
      if (result == Truth.FALSE && mayBeUndefined()) {
        result = Truth.NO_MATCH;
      }
      return result == Truth.TRUE || !image.isPartial() ? result : Truth.UNKNOWN;
    }

    @Override
    default CoveringKeys cover(CoveringKeys.LookupCost cost) {
      return CoveringKeys.of(Key.any(attribute().type()));
    }
  }

  record Present(AttributeDescription attribute) implements Leaf {
    @Override
    public Truth test(PreparedAttribute held) {
      return Truth.TRUE;
    }

    /** Returns no covering set for objectClass, since every entry has one. */
    @Override
    public CoveringKeys cover(CoveringKeys.LookupCost cost) {
      AttributeType type = attribute.type();
      return type.isObjectClass() ? CoveringKeys.NONE : CoveringKeys.of(Key.any(type));
    }
  }

  /**
   * An equality assertion.
   *
   * @param exact true if the assertion equals only those exact values that have the same key
   */
  record Equal(
      AttributeDescription attribute, ValueComparison comparison, Octets key, boolean exact)
      implements Leaf {
    @Override
    public Truth test(PreparedAttribute held) {
      return held.isComparedBy(comparison) ? held.values().contains(key, exact) : Truth.UNKNOWN;
    }

    /** True also for a value without an exact key, which may be invalid. */
    @Override
    public boolean mayBeUndefined() {
      return !exact || !attribute.options().isEmpty();
    }

    @Override
    public CoveringKeys cover(CoveringKeys.LookupCost cost) {
      return CoveringKeys.of(Key.equal(attribute.type(), key));
    }
  }

  /**
   * An assertion of greaterOrEqual or lessOrEqual.
   *
   * @param atLeast true for greaterOrEqual, false for lessOrEqual
   */
  record Ordered(
      AttributeDescription attribute, ValueComparison comparison, Octets key, boolean atLeast)
      implements Leaf {
    @Override
    public Truth test(PreparedAttribute held) {
      if (!held.isComparedBy(comparison) || held.type().ordering().comparison() != comparison) {
        return Truth.UNKNOWN;
      }
      PreparedAttribute.Values values = held.values();
      Truth any = values.any(this::test);
      return values.possible().isEmpty() ? any : any.or(Truth.UNKNOWN);
    }

    private Truth test(Octets value) {
      Integer order = comparison.order(value, key);
      if (order == null) {
        return Truth.UNKNOWN;
      }
      return (atLeast ? order >= 0 : order <= 0) ? Truth.TRUE : Truth.FALSE;
    }
  }

  /** A substring assertion: the value contains these parts in this order. */
  record Parts(
      AttributeDescription attribute,
      ValueComparison comparison,
      @Nullable Octets initial,
      List<Octets> any,
      @Nullable Octets last)
      implements Leaf {
    @Override
    public Truth test(PreparedAttribute held) {
      if (!held.isComparedBy(comparison) || held.type().substrings().comparison() != comparison) {
        return Truth.UNKNOWN;
      }
      return held.values().any(value -> SubstringSearch.matches(value, this));
    }

    @Override
    public CoveringKeys cover(CoveringKeys.LookupCost cost) {
      return CoveringKeys.of(Key.initial(attribute.type(), initial));
    }
  }

  /** An assertion about entryDN: the entry has that DN. */
  record Named(Scope scope) implements Node {
    @Override
    public Truth test(Image image) {
      return scope.test(image.dn());
    }

    @Override
    public CoveringKeys cover(CoveringKeys.LookupCost cost) {
      return CoveringKeys.NONE;
    }
  }

  /**
   * An assertion that the entry is of an object class or of one of its subclasses.
   *
   * @param literal the asserted name in lower case, if the directory compares names; null if it
   *     resolves them
   */
  record OfClass(AttributeType type, Octets key, @Nullable Octets literal) implements Node {
    @Override
    public Truth test(Image image) {
      boolean isOf = image.classes().contains(key);
      if (literal == null ? isOf : image.classNames().contains(literal)) {
        return Truth.TRUE;
      }
      return isOf || image.isPartial() || image.classes().isEmpty() ? Truth.UNKNOWN : Truth.FALSE;
    }

    @Override
    public CoveringKeys cover(CoveringKeys.LookupCost cost) {
      return CoveringKeys.of(Key.equal(type, key));
    }
  }
}
