// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.stoa.client.connection.ClientLimits;
import io.stoa.proxy.ProxyConfig;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps unfinished requests within the direct memory of the process, and has an allocation fail at
 * once where none is left. Stateless.
 */
final class MemoryBudget {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryBudget.class);

  /** The property by which Netty counts its direct memory itself. */
  private static final String NETTY_LIMIT = "io.netty.maxDirectMemory";

  /** The JVM keeps this share of the direct memory for itself and for libraries. */
  private static final int SHARE_OF_OTHERS = 16;

  /** Unfinished requests may take twice their bound for a moment, so it is at most a half. */
  private static final int MOST_SHARE = 2;

  private MemoryBudget() {}

  /**
   * Has Netty count direct memory, and refuse what is above a limit just below that of the JVM. At
   * its own limit the JVM collects garbage and sleeps for half a second before each refusal, which
   * would hold up an event loop. To be called before Netty is used.
   */
  static void failFast() {
    if (System.getProperty(NETTY_LIMIT) == null) {
      long most = ofJvm();
      System.setProperty(NETTY_LIMIT, Long.toString(most - most / SHARE_OF_OTHERS));
    }
  }

  /** Returns the most direct memory of the JVM, in octets; as large as the heap unless set. */
  private static long ofJvm() {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long set = Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
    return set > 0 ? set : Runtime.getRuntime().maxMemory();
  }

  /**
   * Returns the configuration with at most half of the direct memory for unfinished requests.
   *
   * @param directMemory most direct memory, in octets
   */
  static ProxyConfig within(ProxyConfig config, long directMemory) {
    ClientLimits limits = config.limits();
    long most = Math.max(directMemory / MOST_SHARE, limits.frameAfterBind());
    return limits.requestMemory() <= most
        ? config
        : config.limits(limits.requestMemory((int) most));
  }

  /** Logs a warning if unfinished requests get less than the configuration asks for or needs. */
  static void warn(ProxyConfig wanted, ProxyConfig within, long directMemory) {
    ClientLimits limits = within.limits();
    if (wanted.limits().requestMemory() != limits.requestMemory()) {
      LOG.warn(
          "limits.requestMemory is {} octets, but there are {} octets of direct memory: {} are used;"
              + " raise -XX:MaxDirectMemorySize (or STOA_MEMORY), or lower limits.requestMemory",
          wanted.limits().requestMemory(),
          directMemory,
          limits.requestMemory());
    } else if (limits.effectiveRequestMemory() < limits.frameAfterBind()) {
      LOG.warn(
          "requests may take {} octets (limits.frameAfterBind), but all unfinished ones together {}"
              + " of {} octets of direct memory; raise -XX:MaxDirectMemorySize (or STOA_MEMORY), or"
              + " lower limits.frameAfterBind",
          limits.frameAfterBind(),
          limits.effectiveRequestMemory(),
          directMemory);
    }
  }
}
