// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.filter.CoveringKeys.Key;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeName;
import io.stoa.ldap.schema.TypeRules;
import io.stoa.ldap.schema.ValueComparison;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One step of a {@link FilterProgram}. Immutable. */
sealed interface Node {
  Truth test(Image image);

  /** Keys of which every entry has one for which this may be TRUE. */
  CoveringKeys cover(CoveringKeys.Load load);

  /** Whether it may be another value after a change of these attributes, the name the same. */
  boolean mayFlip(Delta delta);

  /** True if empty (RFC 4526). */
  record And(List<Node> members) implements Node {
    @Override
    public Truth test(Image image) {
      Truth all = Truth.TRUE;
      for (Node member : members) {
        all = all.and(member.test(image));
        if (all == Truth.FALSE) {
          return all;
        }
      }
      return all;
    }

    @Override
    public boolean mayFlip(Delta delta) {
      return members.stream().anyMatch(member -> member.mayFlip(delta));
    }

    /** That of any member covers all of them. */
    @Override
    public CoveringKeys cover(CoveringKeys.Load load) {
      CoveringKeys best = CoveringKeys.NONE;
      for (Node member : members) {
        CoveringKeys other = member.cover(load);
        best = other.load(load) < best.load(load) ? other : best;
      }
      return best;
    }
  }

  /** False if empty (RFC 4526). */
  record Or(List<Node> members) implements Node {
    @Override
    public Truth test(Image image) {
      Truth any = Truth.FALSE;
      for (Node member : members) {
        any = any.or(member.test(image));
        if (any == Truth.TRUE) {
          return any;
        }
      }
      return any;
    }

    @Override
    public boolean mayFlip(Delta delta) {
      return members.stream().anyMatch(member -> member.mayFlip(delta));
    }

    @Override
    public CoveringKeys cover(CoveringKeys.Load load) {
      CoveringKeys all = new CoveringKeys(List.of());
      for (Node member : members) {
        all = all.or(member.cover(load));
      }
      return all;
    }
  }

  record Not(Node member) implements Node {
    @Override
    public Truth test(Image image) {
      return member.test(image).not();
    }

    @Override
    public boolean mayFlip(Delta delta) {
      return member.mayFlip(delta);
    }

    @Override
    public CoveringKeys cover(CoveringKeys.Load load) {
      return CoveringKeys.NONE;
    }
  }

  /**
   * Left to the directory.
   *
   * @param type an entry needs a value of this one to match; null if that is not so
   */
  record Unknown(@Nullable TypeRules type) implements Node {
    @Override
    public Truth test(Image image) {
      boolean lacksIt = type != null && !image.isDoubtful() && image.family(type).isEmpty();
      return lacksIt ? Truth.NO_MATCH : Truth.UNKNOWN;
    }

    @Override
    public boolean mayFlip(Delta delta) {
      return type == null || delta.changes(type);
    }

    @Override
    public CoveringKeys cover(CoveringKeys.Load load) {
      return type == null ? CoveringKeys.NONE : CoveringKeys.of(Key.any(type));
    }
  }

  /**
   * An assertion of a type or a value that the directory does not take for one.
   *
   * @param truth what it is for an entry of which every type is known
   */
  record Undefined(Truth truth) implements Node {
    @Override
    public Truth test(Image image) {
      return image.isStrange() ? Truth.UNKNOWN : truth;
    }

    @Override
    public boolean mayFlip(Delta delta) {
      return true;
    }

    @Override
    public CoveringKeys cover(CoveringKeys.Load load) {
      return CoveringKeys.NONE;
    }
  }

  /** An assertion about the values of an attribute, one after the other. */
  sealed interface Leaf extends Node {
    AttributeName attribute();

    /** Which options a directory knows is not told. */
    default boolean mayBeUndefined() {
      return !attribute().options().isEmpty();
    }

    /** What one of the attributes says that the assertion is about. */
    Truth test(HeldAttribute held);

    @Override
    default Truth test(Image image) {
      Truth any = Truth.FALSE;
      for (HeldAttribute held : image.family(attribute().type())) {
        if (held.name().isA(attribute())) {
          any = any.or(test(held));
        }
      }
      if (any == Truth.FALSE && mayBeUndefined()) {
        any = Truth.NO_MATCH;
      }
      return any == Truth.TRUE || !image.isDoubtful() ? any : Truth.UNKNOWN;
    }

    @Override
    default boolean mayFlip(Delta delta) {
      return delta.changes(attribute().type());
    }

    @Override
    default CoveringKeys cover(CoveringKeys.Load load) {
      return CoveringKeys.of(Key.any(attribute().type()));
    }
  }

  record Present(AttributeName attribute) implements Leaf {
    @Override
    public Truth test(HeldAttribute held) {
      return Truth.TRUE;
    }

    /** Every entry has an object class. */
    @Override
    public CoveringKeys cover(CoveringKeys.Load load) {
      TypeRules type = attribute.type();
      return type.isObjectClass() ? CoveringKeys.NONE : CoveringKeys.of(Key.any(type));
    }
  }

  /**
   * @param exact whether the assertion is equal to no exact value but those with the same key
   */
  record Equal(AttributeName attribute, ValueComparison comparison, Octets key, boolean exact)
      implements Leaf {
    @Override
    public Truth test(HeldAttribute held) {
      return held.isComparedBy(comparison) ? held.values().contains(key, exact) : Truth.UNKNOWN;
    }

    /** What is not prepared like anything else may be no value at all. */
    @Override
    public boolean mayBeUndefined() {
      return !exact || !attribute.options().isEmpty();
    }

    @Override
    public boolean mayFlip(Delta delta) {
      return delta.changes(attribute.type(), key);
    }

    @Override
    public CoveringKeys cover(CoveringKeys.Load load) {
      return CoveringKeys.of(Key.equal(attribute.type(), key));
    }
  }

  /** Whether a value comes before the asserted one, is equal, or comes after it. */
  record Ordered(AttributeName attribute, ValueComparison comparison, Octets key, boolean atLeast)
      implements Leaf {
    @Override
    public Truth test(HeldAttribute held) {
      if (!held.isComparedBy(comparison) || held.type().ordering().comparison() != comparison) {
        return Truth.UNKNOWN;
      }
      HeldAttribute.Values values = held.values();
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

  /** Whether a value has these parts, one after the other. */
  record Parts(
      AttributeName attribute,
      ValueComparison comparison,
      @Nullable Octets initial,
      List<Octets> any,
      @Nullable Octets last)
      implements Leaf {
    @Override
    public Truth test(HeldAttribute held) {
      if (!held.isComparedBy(comparison) || held.type().substrings().comparison() != comparison) {
        return Truth.UNKNOWN;
      }
      return held.values().any(value -> SubstringSearch.matches(value, this));
    }

    @Override
    public CoveringKeys cover(CoveringKeys.Load load) {
      return CoveringKeys.of(Key.initial(attribute.type(), initial));
    }
  }

  /** Whether it is the entry of that name. */
  record Named(Scope scope) implements Node {
    @Override
    public Truth test(Image image) {
      return scope.test(image.dn());
    }

    @Override
    public boolean mayFlip(Delta delta) {
      return false;
    }

    @Override
    public CoveringKeys cover(CoveringKeys.Load load) {
      return CoveringKeys.NONE;
    }
  }

  /**
   * Whether the entry is of an object class, or of one that is a kind of it.
   *
   * @param literal how the class is asserted, in lower case, where the directory compares names;
   *     null if it knows what they mean
   */
  record OfClass(TypeRules type, Octets key, @Nullable Octets literal) implements Node {
    @Override
    public Truth test(Image image) {
      boolean isOf = image.classes().contains(key);
      if (literal == null ? isOf : image.classNames().contains(literal)) {
        return Truth.TRUE;
      }
      return isOf || image.isDoubtful() || image.classes().isEmpty() ? Truth.UNKNOWN : Truth.FALSE;
    }

    @Override
    public boolean mayFlip(Delta delta) {
      return delta.changes(type);
    }

    @Override
    public CoveringKeys cover(CoveringKeys.Load load) {
      return CoveringKeys.of(Key.equal(type, key));
    }
  }
}
