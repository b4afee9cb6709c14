// SPDX-License-Identifier: Apache-2.0
package io.stoa.view;

import io.stoa.index.Anchors;
import io.stoa.index.PredicateIndex;
import io.stoa.match.NormalDn;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a view has in the index: entered once, and taken out exactly once, even if it dies while it
 * is being entered. Thread-safe.
 */
final class Registration {
  private static final Object GONE = new Object();

  private final PredicateIndex<View> index;
  private final AtomicReference<@Nullable Object> anchors = new AtomicReference<>();

  Registration(PredicateIndex<View> index) {
    this.index = index;
  }

  void enter(View view, Collection<NormalDn> memberDns) {
    Anchors entered = index.register(view, view.query(), view.members().uuids(), memberDns);
    if (!anchors.compareAndSet(null, entered)) {
      index.unregister(view, entered);
    }
  }

  void leave(View view) {
    if (anchors.getAndSet(GONE) instanceof Anchors entered) {
      index.unregister(view, entered);
    }
  }
}
