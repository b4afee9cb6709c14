// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How many files this process may open: client and server ends of a test share the number. */
public final class OpenFiles {
  private static final long RESERVE = 2_000;

  private OpenFiles() {}

  /** So many connections, both of whose ends are in this process, or as many as are possible. */
  public static int pairs(int wanted) {
    var system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long free = system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount();
    return (int) Math.min(wanted, (free - RESERVE) / 2);
  }
}
