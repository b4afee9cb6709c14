// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

/** What a server shows late, after it has answered a write. */
enum Delay {
  NONE,
  /** The server changes further entries after it has answered. */
  SIDE_EFFECTS,
  /**
   * The server keeps answers itself. It gives an older answer again, or a newer one, which may also
   * look different, as long as either is in its cache.
   */
  CACHED
}
