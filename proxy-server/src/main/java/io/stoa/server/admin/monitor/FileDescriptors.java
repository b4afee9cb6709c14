// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What the system lets this process open. Stateless. */
public final class FileDescriptors {
  private FileDescriptors() {}

  /** Most open files; 0 where the system has no such limit. */
  public static long most() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : 0;
  }
}
