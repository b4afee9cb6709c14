// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.netty.util.internal.PlatformDependent;
import io.stoa.proxy.ProxyConfig;
import io.stoa.server.admin.monitor.FileDescriptors;

/**
 * Limits of the process, to which the configuration is lowered.
 *
 * <p>Threading: immutable.
 *
 * @param openFiles maximum number of open files; 0 if there is no limit
 * @param directMemory maximum direct memory in octets
 */
record Budgets(long openFiles, long directMemory) {
  /** Returns the limits of this process. */
  static Budgets ofProcess() {
    return new Budgets(FileDescriptors.max(), PlatformDependent.maxDirectMemory());
  }

  /** Returns the configuration lowered to these limits. */
  ProxyConfig within(ProxyConfig config) {
    return MemoryBudget.within(ConnectionBudget.within(config, openFiles), directMemory);
  }

  /** True if both configurations set the same limits, so that a warning would only be repeated. */
  static boolean haveEqualLimits(ProxyConfig one, ProxyConfig other) {
    return one.limits().equals(other.limits())
        && one.upstream().maxConnections() == other.upstream().maxConnections();
  }

  /** Logs a warning for each value that is lower than the configured one. */
  void warn(ProxyConfig configured, ProxyConfig within) {
    ConnectionBudget.warn(configured, within, openFiles);
    MemoryBudget.warn(configured, within, directMemory);
  }
}
