// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.ldap.schema.AttributeName;
import io.stoa.ldap.schema.Prepared;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.ldap.schema.TypeRules;
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
 * An attribute of an entry, its values prepared when they are first asked for. Thread-safe: threads
 * that race prepare the same.
 */
final class HeldAttribute {
  /** From how many octets on it is worth while to look for what two states have in common. */
  private static final int LARGE = 32 * 1024;

  /** So many values may differ; if more do, all are prepared anew. */
  private static final int MOST_OTHERS = 1000;

  private final AttributeName name;
  private final AttributeOctets octets;
  private final ServerProfile profile;
  private volatile @Nullable Values prepared;

  /** Whether each value has an exact key that no other value has; written before the values. */
  private boolean distinct;

  /**
   * Immutable.
   *
   * @param exact keys of values that are equal to assertions with the same key
   * @param possible keys of values that may be
   * @param doubtful whether there are values that may be equal to anything
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
     * Whether the test holds for any value; a key that is only possible proves nothing but FALSE.
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

  HeldAttribute(AttributeName name, AttributeOctets octets, ServerProfile profile) {
    this.name = name;
    this.octets = octets;
    this.profile = profile;
  }

  AttributeName name() {
    return name;
  }

  TypeRules type() {
    return name.type();
  }

  boolean isComparedBy(ValueComparison comparison) {
    return type().equality().comparison() == comparison;
  }

  Values values() {
    Values known = prepared;
    if (known == null) {
      known = prepare();
      prepared = known;
    }
    return known;
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

  /** Its size, if it is large; else 0. */
  int largeOctets() {
    int size = octets.encoded().length;
    return size < LARGE ? 0 : size;
  }

  /**
   * Prepares the values by what an earlier state, which is prepared, has in common with this one:
   * of a hundred thousand members one is another. Does nothing if there is more to it.
   */
  void prepareLike(HeldAttribute before) {
    Values earlier = before.prepared;
    boolean alike =
        earlier != null
            && prepared == null
            && before.distinct
            && profile == before.profile
            && type().equals(before.type());
    ValueDelta delta = alike ? ValueDelta.of(before.octets, octets, MOST_OTHERS) : null;
    Set<Octets> keys =
        earlier == null || delta == null
            ? null
            : Others.of(earlier.exact(), keys(delta.removed()), keys(delta.added()));
    if (keys != null) {
      distinct = true;
      prepared = new Values(keys, Set.of(), false);
    }
  }

  /** Null if one has none that is exact. */
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

  /** Many keys, of which a few are others than before. Immutable. */
  private static final class Others extends AbstractSet<Octets> {
    private final Set<Octets> base;
    private final Set<Octets> added;
    private final Set<Octets> removed;

    private Others(Set<Octets> base, Set<Octets> added, Set<Octets> removed) {
      this.base = base;
      this.added = added;
      this.removed = removed;
    }

    /** Null if they are too many, or it would not be each of them once. */
    static @Nullable Others of(
        Set<Octets> before, @Nullable List<Octets> gone, @Nullable List<Octets> come) {
      if (gone == null || come == null) {
        return null;
      }
      Others next =
          before instanceof Others it
              ? new Others(it.base, new HashSet<>(it.added), new HashSet<>(it.removed))
              : new Others(before, new HashSet<>(), new HashSet<>());
      boolean right = gone.stream().allMatch(next::take) && come.stream().allMatch(next::put);
      return right && next.added.size() + next.removed.size() <= MOST_OTHERS ? next : null;
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

  /** As the directory sent them. */
  List<byte[]> raw() {
    return octets.values();
  }
}
