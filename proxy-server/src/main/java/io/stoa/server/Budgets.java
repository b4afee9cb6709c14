// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.netty.util.internal.PlatformDependent;
import io.stoa.proxy.ProxyConfig;
import io.stoa.server.admin.monitor.FileDescriptors;

/**
 * The limits of the process, against which the configuration is checked. Immutable.
 *
 * @param openFiles most open files; 0 if there is no limit
 * @param directMemory most direct memory, in octets
 */
record Budgets(long openFiles, long directMemory) {
  /** Returns the limits of this process. */
  static Budgets ofProcess() {
    return new Budgets(FileDescriptors.most(), PlatformDependent.maxDirectMemory());
  }

  /** Returns the configuration with what is too large lowered. */
  ProxyConfig within(ProxyConfig config) {
    return MemoryBudget.within(ConnectionBudget.within(config, openFiles), directMemory);
  }

  /** Logs a warning for each number that is lower than the configuration asks for. */
  void warn(ProxyConfig wanted, ProxyConfig within) {
    ConnectionBudget.warn(wanted, within, openFiles);
    MemoryBudget.warn(wanted, within, directMemory);
  }
}
