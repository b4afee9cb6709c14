// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The process at the other end of a local socket, as the system knew it when it connected.
 * Immutable.
 *
 * @param uid its effective user
 * @param gid its effective group
 * @param pid its process, which may have ended since
 */
public record LocalUser(int uid, int gid, int pid) {
  private static final int ROOT = 0;
  private static final int UNKNOWN = -1;
  private static final int OWN = own();

  /** Whether it is root, or the user as whom Stoa runs: both could do with Stoa what they like. */
  public boolean isOperator() {
    return uid == ROOT || (uid == OWN && OWN != UNKNOWN);
  }

  /** The diagnostic message for a user who is not the administrator. */
  public static String operators() {
    String own = OWN == UNKNOWN || OWN == ROOT ? "" : " and the user of Stoa (uid " + OWN + ")";
    return "by SASL EXTERNAL the administrator is root (uid 0)" + own + " only";
  }

  /** For logs. */
  @Override
  public String toString() {
    return "uid " + uid + ", gid " + gid + ", pid " + pid;
  }

  private static int own() {
    try {
      return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return UNKNOWN;
    }
  }
}
