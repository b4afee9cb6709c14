// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

/** Verdict on a server: the same process as before, or another, and a clock that went on or not. */
public enum Continuity {
  /** The server is read for the first time. */
  FIRST,
  /** The server has not been restarted, and its clock has not been set back. */
  SAME,
  /** The server has been restarted, or there is no proof that it has not. */
  RESTARTED,
  /** The server is the same process; its clock has been set back meanwhile. */
  CLOCK_SET_BACK,
  /** The server's clock shows an earlier time than it has shown before. */
  CLOCK_BEHIND,
  /** The server refuses connections: no process listens. */
  DOWN,
  /** The server does not answer, or refuses the account. */
  UNKNOWN
}
