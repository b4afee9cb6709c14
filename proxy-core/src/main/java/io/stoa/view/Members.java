// SPDX-License-Identifier: Apache-2.0
package io.stoa.view;

import io.stoa.change.Csn;
import io.stoa.filter.Uuid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The entries of an answer, and which state of each it shows. Immutable. */
public final class Members {
  private final Uuid[] uuids;
  private final @Nullable Csn[] csns;

  private Members(List<Member> sorted) {
    uuids = sorted.stream().map(Member::uuid).toArray(Uuid[]::new);
    csns = sorted.stream().map(Member::csn).toArray(Csn[]::new);
  }

  /**
   * An entry and its state. Immutable.
   *
   * @param csn its entryCSN; null if it has none, or it is not shown
   */
  public record Member(Uuid uuid, @Nullable Csn csn) {}

  /** Makes it of entries in any order. */
  public static Members of(List<Member> members) {
    List<Member> sorted = new ArrayList<>(members);
    sorted.sort(Comparator.comparing(Member::uuid));
    return new Members(sorted);
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
}
