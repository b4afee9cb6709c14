// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.Map;

/**
 * A search that was answered. Immutable.
 *
 * @param number which it is in its history
 * @param session whose it is: what one session has written and seen, it reads
 * @param question what was asked, as the {@link Timeline} knows it
 * @param base the entry at which it begins
 * @param invoked when it was asked
 * @param completed when its answer was there
 * @param served the state that the server had which answered; {@link #MEMORY} if none did
 * @param code the result code
 * @param entries what was shown, by DN
 */
public record Read(
    int number,
    String session,
    Object question,
    String base,
    long invoked,
    long completed,
    int served,
    int code,
    Map<String, String> entries) {
  /** No server was asked. */
  public static final int MEMORY = -1;

  /** Whether it was answered without a server. */
  public boolean fromMemory() {
    return served == MEMORY;
  }
}
