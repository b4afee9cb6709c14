// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Entries of a result, with the state that it shows of each.
 *
 * <p>Octets: 24, two arrays of 16 and 4 for each entry, and 64 for each entry.
 *
 * <p>Threading: immutable.
 */
public final class Members {
  /** Result which says that its base does not exist. */
  public static final Members ABSENT = new Members(List.of());

  private static final NormalDn[] UNNAMED = {};

  private final Uuid[] uuids;
  private final @Nullable Csn[] csns;

  /** Empty if names are not kept; the index then finds the view by exactly these names. */
  private final NormalDn[] names;

  private Members(List<Member> sorted) {
    uuids = sorted.stream().map(Member::uuid).toArray(Uuid[]::new);
    csns = sorted.stream().map(Member::csn).toArray(Csn[]::new);
    boolean named = sorted.stream().allMatch(member -> member.dn() != null);
    names = named ? sorted.stream().map(Member::dn).toArray(NormalDn[]::new) : UNNAMED;
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
    return uuids.length;
  }

  /** Returns the entries in order. */
  public List<Uuid> uuids() {
    return List.of(uuids);
  }

  public boolean contains(Uuid uuid) {
    return Arrays.binarySearch(uuids, uuid) >= 0;
  }

  /** Returns the shown state of an entry; null if the entry or its state is not shown. */
  public @Nullable Csn csn(Uuid uuid) {
    int index = Arrays.binarySearch(uuids, uuid);
    return index < 0 ? null : csns[index];
  }

  /** Returns a shown entry, with its name if kept; null if it is not shown. */
  @Nullable Member find(Uuid uuid) {
    int index = Arrays.binarySearch(uuids, uuid);
    return index < 0 ? null : at(index);
  }

  /** True if the result shows, or may show, another entry by that name. */
  boolean mayShowAnother(Uuid uuid, NormalDn name) {
    if (names.length < uuids.length) {
      return !contains(uuid);
    }
    for (int i = 0; i < names.length; i++) {
      if (!uuids[i].equals(uuid) && name.mayEqual(names[i])) {
        return true;
      }
    }
    return false;
  }

  /**
   * True if the result shows, or may show, an entry below that name. The index must have found the
   * view there, perhaps by names that are not kept here.
   */
  boolean mayReachBelow(NormalDn name) {
    return names.length < uuids.length || Stream.of(names).anyMatch(it -> it.mayBeBelow(name));
  }

  private Member at(int index) {
    return new Member(uuids[index], csns[index], names.length == 0 ? null : names[index]);
  }

  /** Returns a copy with a new state of an entry, or with one more entry. */
  Members with(Member changed) {
    List<Member> members = others(changed.uuid());
    members.add(changed);
    return of(members);
  }

  /** Returns a copy without an entry. */
  Members without(Uuid uuid) {
    return of(others(uuid));
  }

  private List<Member> others(Uuid uuid) {
    List<Member> others = new ArrayList<>(uuids.length + 1);
    for (int i = 0; i < uuids.length; i++) {
      if (!uuids[i].equals(uuid)) {
        others.add(at(i));
      }
    }
    return others;
  }
}
