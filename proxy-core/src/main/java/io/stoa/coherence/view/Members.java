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

/** The entries of an answer, and which state of each it shows. Immutable. */
public final class Members {
  /** Of an answer which says that its base is not there. */
  public static final Members ABSENT = new Members(List.of(), true);

  private final boolean absent;
  private final Uuid[] uuids;
  private final @Nullable Csn[] csns;

  /** Empty if the names are not kept: then the view is found by these names alone. */
  private final NormalDn[] names;

  private Members(List<Member> sorted, boolean absent) {
    this.absent = absent;
    uuids = sorted.stream().map(Member::uuid).toArray(Uuid[]::new);
    csns = sorted.stream().map(Member::csn).toArray(Csn[]::new);
    boolean named = sorted.stream().allMatch(member -> member.dn() != null);
    names = named ? sorted.stream().map(Member::dn).toArray(NormalDn[]::new) : new NormalDn[0];
  }

  /**
   * An entry and its state. Immutable.
   *
   * @param csn its entryCSN; null if it has none, or it is not shown
   * @param dn its name; null if nobody needs it
   */
  public record Member(Uuid uuid, @Nullable Csn csn, @Nullable NormalDn dn) {
    /** One whose name nobody needs. */
    public Member(Uuid uuid, @Nullable Csn csn) {
      this(uuid, csn, null);
    }
  }

  /** Makes it of entries in any order. */
  public static Members of(List<Member> members) {
    List<Member> sorted = new ArrayList<>(members);
    sorted.sort(Comparator.comparing(Member::uuid));
    return new Members(sorted, false);
  }

  /** Whether there are none because the base is not there. */
  boolean areAbsent() {
    return absent;
  }

  public int size() {
    return uuids.length;
  }

  /** The entries. */
  public List<Uuid> uuids() {
    return List.of(uuids);
  }

  public boolean contains(Uuid uuid) {
    return Arrays.binarySearch(uuids, uuid) >= 0;
  }

  /** The state of an entry that is shown; null if it is not shown, or that is not known. */
  public @Nullable Csn csn(Uuid uuid) {
    int index = Arrays.binarySearch(uuids, uuid);
    return index < 0 ? null : csns[index];
  }

  /** An entry that is shown, with its name if that is known; null if it is not shown. */
  @Nullable Member find(Uuid uuid) {
    int index = Arrays.binarySearch(uuids, uuid);
    return index < 0 ? null : at(index);
  }

  /** Whether it shows, or may show, another entry by that name. */
  boolean mayShowAnother(Uuid uuid, NormalDn name) {
    if (names.length < uuids.length) {
      return !contains(uuid);
    }
    for (int i = 0; i < names.length; i++) {
      if (!uuids[i].equals(uuid) && name.mayBe(names[i])) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether it shows, or may show, something below that name, given that the index has found the
   * view there: by names that it lacks, too.
   */
  boolean mayReachBelow(NormalDn name) {
    return names.length < uuids.length || Stream.of(names).anyMatch(it -> it.mayBeBelow(name));
  }

  private Member at(int index) {
    return new Member(uuids[index], csns[index], names.length == 0 ? null : names[index]);
  }

  /** The same with another state of an entry, or one more. */
  Members with(Member changed) {
    List<Member> members = others(changed.uuid());
    members.add(changed);
    return of(members);
  }

  /** The same without an entry. */
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
