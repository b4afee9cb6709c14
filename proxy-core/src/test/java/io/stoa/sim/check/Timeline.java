// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the directory held, state by state: each change makes the next one. Thread-confined. */
public interface Timeline {
  /** The last state that was there at a time. */
  int at(long time);

  /** The result code of a search in a state. */
  int code(int state, Object question);

  /** What a search shows in a state, by DN. */
  Map<String, String> shown(int state, Object question);

  /** What a search would show of an entry, found or not; null if it is not there, or is hidden. */
  @Nullable String entry(int state, String dn, Object question);
}
