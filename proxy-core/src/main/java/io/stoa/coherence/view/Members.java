// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Entries of a result, with the state that it shows of each.
 *
 * <p>Octets: 16, and 88 for each entry without its name. Several entries are in an array of 16 and
 * 4 for each.
 *
 * <p>Threading: immutable.
 */
public final class Members {
  /** Result which says that its base does not exist. */
  public static final Members ABSENT = new Members(List.of());

  /** The only entry, or an array of all in the order of their UUIDs. */
  private final Object entries;

  private Members(List<Member> sorted) {
    entries = sorted.size() == 1 ? sorted.get(0) : sorted.toArray(Member[]::new);
  }

  /**
   * An entry and its state. Immutable.
   *
   * @param csn its entryCSN; null if it has none, or the result does not show it
   * @param dn its name; null if not kept
   */
  public record Member(Uuid uuid, @Nullable Csn csn, @Nullable NormalDn dn) {
    /** Makes an entry without a name. */
    public Member(Uuid uuid, @Nullable Csn csn) {
      this(uuid, csn, null);
    }

    private boolean isNamedBy(Predicate<NormalDn> test) {
      return dn != null && test.test(dn);
    }
  }

  /** Makes the set from entries in any order. */
  public static Members of(List<Member> members) {
    List<Member> sorted = new ArrayList<>(members);
    sorted.sort(Comparator.comparing(Member::uuid));
    return new Members(sorted);
  }

  /** True if there are no entries because the base does not exist. */
  boolean isBaseAbsent() {
    return this == ABSENT;
  }

  public int size() {
    return entries instanceof Member[] all ? all.length : 1;
  }

  private Member at(int index) {
    return entries instanceof Member[] all ? all[index] : (Member) entries;
  }

  private Stream<Member> stream() {
    return IntStream.range(0, size()).mapToObj(this::at);
  }

  /** Returns the entries in order. */
  public List<Uuid> uuids() {
    return stream().map(Member::uuid).toList();
  }

  public boolean contains(Uuid uuid) {
    return find(uuid) != null;
  }

  /** Returns the shown state of an entry; null if the entry or its state is not shown. */
  public @Nullable Csn csn(Uuid uuid) {
    Member member = find(uuid);
    return member == null ? null : member.csn();
  }

  /** Returns a shown entry, with its name if kept; null if it is not shown. */
  @Nullable Member find(Uuid uuid) {
    int low = 0;
    int high = size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      Member member = at(middle);
      int order = member.uuid().compareTo(uuid);
      if (order == 0) {
        return member;
      }
      low = order < 0 ? middle + 1 : low;
      high = order > 0 ? middle - 1 : high;
    }
    return null;
  }

  /** True if the result shows, or may show, another entry by that name. */
  boolean mayShowAnother(Uuid uuid, NormalDn name) {
    if (!keepsNames()) {
      return !contains(uuid);
    }
    return stream().anyMatch(one -> !one.uuid().equals(uuid) && one.isNamedBy(name::mayEqual));
  }

  /**
   * True if the result shows, or may show, an entry below that name. The index must have found the
   * view there, perhaps by names that are not kept here.
   */
  boolean mayReachBelow(NormalDn name) {
    return !keepsNames() || stream().anyMatch(one -> one.isNamedBy(it -> it.mayBeBelow(name)));
  }

  /** True if the names of all entries are kept. */
  private boolean keepsNames() {
    return stream().allMatch(one -> one.dn() != null);
  }

  /** Returns a copy with a new state of an entry, or with one more entry. */
  Members with(Member changed) {
    return of(Stream.concat(others(changed.uuid()), Stream.of(changed)).toList());
  }

  /** Returns a copy without an entry. */
  Members without(Uuid uuid) {
    return of(others(uuid).toList());
  }

  private Stream<Member> others(Uuid uuid) {
    return stream().filter(one -> !one.uuid().equals(uuid));
  }
}
