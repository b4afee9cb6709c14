// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The process at the other end of a local socket, as the kernel recorded it at connect time.
 *
 * <p>Threading: immutable.
 *
 * @param uid effective user ID
 * @param gid effective group ID
 * @param pid process ID; the process may have ended since
 */
public record LocalUser(int uid, int gid, int pid) {
  private static final int ROOT = 0;
  private static final int UNKNOWN = -1;
  private static final int OWN = ownUid();

  /** True for root and for the user that runs Stoa. Both have full control of Stoa anyway. */
  public boolean isOperator() {
    return uid == ROOT || (uid == OWN && OWN != UNKNOWN);
  }

  /** Returns the diagnostic message for a local user who is not an administrator. */
  public static String operators() {
    String own = OWN == UNKNOWN || OWN == ROOT ? "" : " and the user of Stoa (uid " + OWN + ")";
    return "SASL EXTERNAL as administrator is limited to root (uid 0)" + own;
  }

  /** Returns the text for logs. */
  @Override
  public String toString() {
    return "uid " + uid + ", gid " + gid + ", pid " + pid;
  }

  private static int ownUid() {
    try {
      return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return UNKNOWN;
    }
  }
}
