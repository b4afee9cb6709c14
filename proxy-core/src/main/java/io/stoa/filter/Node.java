// SPDX-License-Identifier: Apache-2.0
package io.stoa.filter;

import io.stoa.filter.Cover.Key;
import io.stoa.ldap.Octets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One step of a {@link FilterProgram}. Immutable. */
sealed interface Node {
  Truth test(Image image);

  /** Keys of which every entry has one for which this may be TRUE. */
  Cover cover(Load load);

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

    /** That of any member covers all of them. */
    @Override
    public Cover cover(Load load) {
      Cover best = Cover.NONE;
      for (Node member : members) {
        Cover other = member.cover(load);
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
    public Cover cover(Load load) {
      Cover all = new Cover(List.of());
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
    public Cover cover(Load load) {
      return Cover.NONE;
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
      return Truth.UNKNOWN;
    }

    @Override
    public Cover cover(Load load) {
      return type == null ? Cover.NONE : Cover.of(Key.any(type));
    }
  }

  /** An assertion of a type or a value that the directory does not take for one. */
  record Undefined() implements Node {
    @Override
    public Truth test(Image image) {
      return image.isStrange() ? Truth.UNKNOWN : Truth.UNDEFINED;
    }

    @Override
    public Cover cover(Load load) {
      return Cover.NONE;
    }
  }

  /** An assertion about the values of an attribute, one after the other. */
  sealed interface Leaf extends Node {
    AttributeName attribute();

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
      // Which options a directory knows is not told: the assertion may be Undefined for it.
      boolean certain = attribute().options().isEmpty() && !image.isDoubtful();
      return any == Truth.TRUE || certain ? any : Truth.UNKNOWN;
    }

    @Override
    default Cover cover(Load load) {
      return Cover.of(Key.any(attribute().type()));
    }
  }

  record Present(AttributeName attribute) implements Leaf {
    @Override
    public Truth test(HeldAttribute held) {
      return Truth.TRUE;
    }

    /** Every entry has an object class. */
    @Override
    public Cover cover(Load load) {
      TypeRules type = attribute.type();
      return type.isObjectClass() ? Cover.NONE : Cover.of(Key.any(type));
    }
  }

  record Equal(AttributeName attribute, Comparison comparison, Octets key) implements Leaf {
    @Override
    public Truth test(HeldAttribute held) {
      if (held.type().equality().comparison() != comparison) {
        return Truth.UNKNOWN;
      }
      HeldAttribute.Values values = held.values();
      if (values.keys().contains(key)) {
        return Truth.TRUE;
      }
      return values.doubtful() ? Truth.UNKNOWN : Truth.FALSE;
    }

    @Override
    public Cover cover(Load load) {
      return Cover.of(Key.equal(attribute.type(), key));
    }
  }

  /** Whether it is the entry of that name. */
  record Named(Scope scope) implements Node {
    @Override
    public Truth test(Image image) {
      return scope.test(image.dn());
    }

    @Override
    public Cover cover(Load load) {
      return Cover.NONE;
    }
  }

  /**
   * Whether the entry is of an object class, or of one that is a kind of it.
   *
   * @param key of the class
   */
  record OfClass(TypeRules type, Octets key) implements Node {
    @Override
    public Truth test(Image image) {
      Set<Octets> classes = image.classes();
      if (classes.contains(key)) {
        return Truth.TRUE;
      }
      return image.isDoubtful() || classes.isEmpty() ? Truth.UNKNOWN : Truth.FALSE;
    }

    @Override
    public Cover cover(Load load) {
      return Cover.of(Key.equal(type, key));
    }
  }
}
