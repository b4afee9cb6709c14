// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

/** Whether a server is still the process that it was, with a clock that went on. */
public enum Continuity {
  /** The server is read for the first time. */
  FIRST,
  /** The server has not been restarted, and its clock has not been set back. */
  SAME,
  /** The server has been restarted, or it cannot be proved that it has not. */
  RESTARTED,
  /** The server is the same process; its clock has been set back meanwhile. */
  CLOCK_SET_BACK,
  /** The clock of the server shows a time that is earlier than one that it has shown before. */
  CLOCK_BEHIND,
  /** The server refuses connections: no process listens. */
  DOWN,
  /** The server does not answer, or refuses the account. */
  UNKNOWN
}
