// SPDX-License-Identifier: Apache-2.0
package io.stoa.index;

import io.stoa.filter.Query;
import io.stoa.filter.Uuid;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A cached query of a test. Confined to the test's thread. */
final class SampleView {
  private final Query query;
  private final String text;
  private final Set<Uuid> members;
  private @Nullable Anchors anchors;

  SampleView(Query query, String text, Set<Uuid> members) {
    this.query = query;
    this.text = text;
    this.members = members;
  }

  void register(PredicateIndex<SampleView> index, SampleWorld world) {
    anchors = index.register(this, query, members, members.stream().map(world::dn).toList());
  }

  Query query() {
    return query;
  }

  String text() {
    return text;
  }

  Set<Uuid> members() {
    return members;
  }

  Anchors anchors() {
    return Objects.requireNonNull(anchors, "not registered");
  }
}
