// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A search or a compare that was answered. Immutable.
 *
 * @param number which it is in its history
 * @param session whose it is: what one session has written and seen, it reads
 * @param question what was asked, as the {@link Timeline} knows it
 * @param base the entry at which it begins
 * @param derives whether it looks at values that follow from other entries
 * @param invoked when it was asked
 * @param decided when the proxy looked at it first
 * @param completed when its answer was there
 * @param served the state that the server had which answered; {@link #MEMORY} if none did
 * @param code the result code
 * @param entries what was shown, by DN
 * @param claim what the proxy told of the answer just before; null if it was not asked
 */
public record Read(
    int number,
    String session,
    Object question,
    String base,
    boolean derives,
    long invoked,
    long decided,
    long completed,
    int served,
    int code,
    Map<String, String> entries,
    @Nullable Claim claim) {
  /** No server was asked. */
  public static final int MEMORY = -1;

  /** Whether it was answered without a server. */
  public boolean fromMemory() {
    return served == MEMORY;
  }

  String who() {
    return session.isEmpty() ? "anonymous" : session;
  }
}
