// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import java.lang.invoke.VarHandle;

/**
 * Keeps a store and a later load in order. A thread that applies a change appends it to the ring,
 * then looks for views. A thread that fills a view registers it, then reads the ring. Without a
 * fence between the two steps neither might see the other (store buffering).
 *
 * <p>Threading: stateless.
 */
public final class MemoryFences {
  private MemoryFences() {}

  /** Makes all earlier stores visible to all threads before any later load. */
  public static void fullFence() {
    VarHandle.fullFence();
  }
}
