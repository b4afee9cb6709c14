// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A cached query of a test. Confined to the test's thread. */
final class SampleView {
  private final Query query;
  private final String text;
  private final Set<Uuid> members;
  private final boolean absent; // it says that its base is not there
  private @Nullable IndexKeys anchors;

  private SampleView(Query query, String text, Set<Uuid> members, boolean absent) {
    this.query = query;
    this.text = text;
    this.members = members;
    this.absent = absent;
  }

  /** The answer to a query. */
  static SampleView of(SampleWorld.SampleQuery asked, SampleWorld world) {
    NormalDn base = asked.query().base();
    boolean absent = world.images().stream().noneMatch(image -> image.dn().mayEqual(base));
    Set<Uuid> members = absent ? Set.of() : world.members(asked.query());
    return new SampleView(asked.query(), asked.text(), members, absent);
  }

  void register(PredicateIndex<SampleView> index, SampleWorld world) {
    anchors =
        absent
            ? index.registerAbsent(this, query)
            : index.register(this, query, members, members.stream().map(world::dn).toList());
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

  /** Whether it says that something is not there which that name is at, above or below. */
  boolean denies(NormalDn name) {
    NormalDn base = query.base();
    return absent && !(base.isSurelyElsewhere(name) && name.isSurelyElsewhere(base));
  }

  IndexKeys anchors() {
    return Objects.requireNonNull(anchors, "not registered");
  }
}
