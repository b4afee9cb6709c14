// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What is drawn by {@link ThreadLocalRandom}: Caffeine does, to decide what a full cache keeps. The
 * runtime must open {@code java.lang} for it. Stateless.
 */
final class ThreadLocalSeed {
  private static final VarHandle SEED;

  static {
    try {
      SEED =
          MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
              .findVarHandle(Thread.class, "threadLocalRandomSeed", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private ThreadLocalSeed() {}

  /**
   * What is drawn next follows from that number. Whatever is drawn after that hangs on the number
   * of the thread, too: of 2,000 histories one may be another in another thread.
   */
  static void set(long seed) {
    ThreadLocalRandom.current(); // or the first one who draws would set it anew
    Thread own = Thread.currentThread();
    SEED.set(own, seed - (own.getId() << 1)); // which is added with each draw
  }
}
