// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import java.lang.invoke.VarHandle;

/**
 * What keeps a store and a later load in their order. Who applies a change appends it to the ring
 * and then looks for views; who fills a view registers it and then looks into the ring. Without a
 * fence between the two steps both may look before either has been seen. Stateless.
 */
public final class MemoryFences {
  private MemoryFences() {}

  /** All that was stored before can be seen by everybody before anything is loaded after. */
  public static void full() {
    VarHandle.fullFence();
  }
}
