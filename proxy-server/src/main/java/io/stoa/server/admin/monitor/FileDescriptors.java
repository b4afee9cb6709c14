// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The limit of open files of this process. Threading: stateless. */
public final class FileDescriptors {
  private FileDescriptors() {}

  /** Returns the maximum number of open files; 0 where the system has no such limit. */
  public static long max() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : 0;
  }
}
