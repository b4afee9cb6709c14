// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.ldap.schema.AttributeDescription;
import io.stoa.ldap.schema.AttributeType;
import io.stoa.ldap.schema.Prepared;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.ldap.schema.ValueComparison;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An attribute of an entry. Its values are prepared for comparison on first use.
 *
 * <p>Threading: thread-safe. Racing threads prepare equal values.
 */
final class PreparedAttribute {
  /**
   * Octets from which on an attribute is compared with its earlier state: 32,768. For smaller ones
   * it is cheaper to prepare all values.
   */
  private static final int LARGE = 32 * 1024;

  /** Maximum number of differing values: 1,000. With more, all values are prepared anew. */
  private static final int MAX_DIFFERENCES = 1000;

  private final AttributeDescription name;
  private final AttributeOctets octets;
  private final ServerProfile profile;
  private volatile @Nullable Values prepared;

  /**
   * True if each value has an exact key, and no two keys are equal. Written before {@link
   * #prepared}, which publishes it.
   */
  private boolean distinct;

  /**
   * The prepared values.
   *
   * <p>Threading: immutable.
   *
   * @param exact keys of values that certainly equal an assertion with the same key
   * @param possible keys of values that may equal an assertion with the same key
   * @param doubtful true if there are values that may equal any assertion
   */
  record Values(Set<Octets> exact, Set<Octets> possible, boolean doubtful) {
    Truth contains(Octets key, boolean exactly) {
      boolean found = exact.contains(key);
      if (found && exactly) {
        return Truth.TRUE;
      }
      return found || doubtful || possible.contains(key) ? Truth.UNKNOWN : Truth.FALSE;
    }

    /**
     * Returns TRUE if the test holds for any value. A key in {@code possible} can only prove FALSE.
     */
    Truth any(Function<Octets, Truth> test) {
      Truth any = doubtful ? Truth.UNKNOWN : Truth.FALSE;
      for (Octets key : possible) {
        any = any.or(test.apply(key) == Truth.FALSE ? Truth.FALSE : Truth.UNKNOWN);
      }
      for (Octets key : exact) {
        any = any.or(test.apply(key));
        if (any == Truth.TRUE) {
          return any;
        }
      }
      return any;
    }
  }

  PreparedAttribute(AttributeDescription name, AttributeOctets octets, ServerProfile profile) {
    this.name = name;
    this.octets = octets;
    this.profile = profile;
  }

  AttributeDescription name() {
    return name;
  }

  AttributeType type() {
    return name.type();
  }

  boolean isComparedBy(ValueComparison comparison) {
    return type().equality().comparison() == comparison;
  }

  Values values() {
    Values current = prepared;
    if (current == null) {
      current = prepare();
      prepared = current;
    }
    return current;
  }

  private Values prepare() {
    List<byte[]> raw = raw();
    Set<Octets> exact = new HashSet<>(Math.max(4, raw.size() * 2));
    Set<Octets> possible = new HashSet<>(0);
    boolean doubtful = false;
    for (byte[] value : raw) {
      Prepared one = Prepared.of(value, type(), type().equality().comparison(), profile);
      if (one.key() == null) {
        doubtful = true;
      } else {
        (one.exact() ? exact : possible).add(one.key());
      }
    }
    distinct = exact.size() == raw.size();
    return new Values(exact, possible, doubtful);
  }

  /** Returns the size of a large attribute in octets; 0 for others. */
  int largeOctets() {
    int size = octets.encoded().length;
    return size < LARGE ? 0 : size;
  }

  /**
   * Prepares the values from those of an earlier state, whose values are prepared. Useful for a
   * group of 100,000 members in which one has changed. Does nothing if the states differ too much.
   */
  void prepareLike(PreparedAttribute other) {
    Values earlier = other.prepared;
    boolean alike =
        earlier != null
            && prepared == null
            && other.distinct
            && profile == other.profile
            && type().equals(other.type());
    ValueDelta delta = alike ? ValueDelta.of(other.octets, octets, MAX_DIFFERENCES) : null;
    Set<Octets> keys =
        earlier == null || delta == null
            ? null
            : OverlaySet.of(earlier.exact(), keys(delta.removed()), keys(delta.added()));
    if (keys != null) {
      distinct = true;
      prepared = new Values(keys, Set.of(), false);
    }
  }

  /** Returns the keys of the values; null if one of them is not exact. */
  private @Nullable List<Octets> keys(List<byte[]> values) {
    List<Octets> keys = new ArrayList<>(values.size());
    for (byte[] value : values) {
      Prepared one = Prepared.of(value, type(), type().equality().comparison(), profile);
      Octets key = one.key();
      if (key == null || !one.exact()) {
        return null;
      }
      keys.add(key);
    }
    return keys;
  }

  /**
   * A large set of keys, stored as the differences from an earlier set.
   *
   * <p>Threading: immutable.
   */
  private static final class OverlaySet extends AbstractSet<Octets> {
    private final Set<Octets> base;
    private final Set<Octets> added;
    private final Set<Octets> removed;

    private OverlaySet(Set<Octets> base, Set<Octets> added, Set<Octets> removed) {
      this.base = base;
      this.added = added;
      this.removed = removed;
    }

    /**
     * Returns the set after a change; null if there are too many differences, or a key would be
     * removed or added twice.
     */
    static @Nullable OverlaySet of(
        Set<Octets> before, @Nullable List<Octets> gone, @Nullable List<Octets> come) {
      if (gone == null || come == null) {
        return null;
      }
      OverlaySet next =
          before instanceof OverlaySet it
              ? new OverlaySet(it.base, new HashSet<>(it.added), new HashSet<>(it.removed))
              : new OverlaySet(before, new HashSet<>(), new HashSet<>());
      boolean right = gone.stream().allMatch(next::take) && come.stream().allMatch(next::put);
      return right && next.added.size() + next.removed.size() <= MAX_DIFFERENCES ? next : null;
    }

    private boolean take(Octets key) {
      return added.remove(key) || (base.contains(key) && removed.add(key));
    }

    private boolean put(Octets key) {
      return removed.remove(key) || (!base.contains(key) && added.add(key));
    }

    @Override
    public boolean contains(Object key) {
      return added.contains(key) || (base.contains(key) && !removed.contains(key));
    }

    @Override
    public Iterator<Octets> iterator() {
      return Stream.concat(base.stream().filter(key -> !removed.contains(key)), added.stream())
          .iterator();
    }

    @Override
    public int size() {
      return base.size() - removed.size() + added.size();
    }
  }

  /** Returns the values as the directory sent them. */
  List<byte[]> raw() {
    return octets.values();
  }
}
