// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/** What this process has on its heap. */
public final class Memory {
  private static final String COMMANDS = "com.sun.management:type=DiagnosticCommand";

  private Memory() {}

  /**
   * Octets of all live objects, as {@code jcmd PID GC.class_histogram} counts them. More exact than
   * {@link #heapInUse}, which counts parts of regions that no object has.
   */
  public static long liveOctets() {
    try {
      Object histogram =
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName(COMMANDS),
                  "gcClassHistogram",
                  new Object[] {new String[0]},
                  new String[] {String[].class.getName()});
      String text = histogram.toString().strip();
      String[] total = text.substring(text.lastIndexOf("Total")).split("\\s+");
      return Long.parseLong(total[2]);
    } catch (JMException e) {
      throw new IllegalStateException("the Java runtime has no histogram of its heap", e);
    }
  }

  /** Octets in use after a collection. */
  public static long heapInUse() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
