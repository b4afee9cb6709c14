// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.stoa.client.connection.ClientLimits;
import io.stoa.proxy.ProxyConfig;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps unfinished requests within the direct memory of the process, and makes allocations fail
 * fast when none is left. Threading: stateless.
 */
final class MemoryBudget {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryBudget.class);

  /** Property that makes Netty count direct memory itself. */
  private static final String NETTY_LIMIT = "io.netty.maxDirectMemory";

  /** Part of the direct memory left to the JVM and to libraries: one sixteenth. */
  private static final int SHARE_OF_OTHERS = 16;

  /**
   * Divisor of the memory for unfinished requests: 2. Requests may take twice their bound for a
   * moment, so the bound is at most half.
   */
  private static final int MAX_SHARE = 2;

  private MemoryBudget() {}

  /**
   * Makes Netty count direct memory, and refuse allocations above a limit just below that of the
   * JVM. At its own limit the JVM collects garbage and sleeps for half a second before each
   * refusal, which would block an event loop. Called before Netty is used.
   */
  static void failFast() {
    if (System.getProperty(NETTY_LIMIT) == null) {
      long limit = ofJvm();
      System.setProperty(NETTY_LIMIT, Long.toString(limit - limit / SHARE_OF_OTHERS));
    }
  }

  /** Returns the maximum direct memory of the JVM in octets; the size of the heap unless set. */
  private static long ofJvm() {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long set = Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
    return set > 0 ? set : Runtime.getRuntime().maxMemory();
  }

  /**
   * Returns the configuration with at most half of the direct memory for unfinished requests.
   *
   * @param directMemory maximum direct memory in octets
   */
  static ProxyConfig within(ProxyConfig config, long directMemory) {
    ClientLimits limits = config.limits();
    long limit = Math.max(directMemory / MAX_SHARE, limits.frameAfterBind());
    return limits.requestMemory() <= limit
        ? config
        : config.limits(limits.requestMemory((int) limit));
  }

  /**
   * Logs a warning if unfinished requests get less memory than configured, or less than one request
   * may need.
   */
  static void warn(ProxyConfig configured, ProxyConfig within, long directMemory) {
    ClientLimits limits = within.limits();
    if (configured.limits().requestMemory() != limits.requestMemory()) {
      LOG.warn(
          "limits.requestMemory = {} exceeds half of the direct memory of {} bytes: "
              + "lowered to {}. Raise -XX:MaxDirectMemorySize (or STOA_MEMORY), or lower "
              + "limits.requestMemory",
          configured.limits().requestMemory(),
          directMemory,
          limits.requestMemory());
    } else if (limits.effectiveRequestMemory() < limits.frameAfterBind()) {
      LOG.warn(
          "limits.frameAfterBind = {} exceeds limits.requestMemory = {} (direct "
              + "memory: {} bytes), so the largest requests cannot be received. Raise "
              + "-XX:MaxDirectMemorySize (or STOA_MEMORY), or lower limits.frameAfterBind",
          limits.frameAfterBind(),
          limits.effectiveRequestMemory(),
          directMemory);
    }
  }
}
