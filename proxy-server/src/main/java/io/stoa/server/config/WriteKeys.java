// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.server.config.value.WindowOverride;
import io.stoa.write.WindowConfig;
import java.util.List;

/** The keys of the section {@code writes}. Threading: immutable. */
final class WriteKeys {
  static final KeySection KEYS = new KeySection("writes.");

  static final ConfigKey<List<WindowConfig>> WINDOWS =
      KEYS.key(
          "windows",
          WindowItem.TYPE,
          List.of(),
          "Write windows, in which writes are gathered. A write waits in the first window that"
              + " matches it; without a match it is sent at once.");

  static final ConfigKey<List<WindowOverride>> WINDOW_OVERRIDES =
      KEYS.live(
          "windowOverrides",
          WindowItem.CLOSING,
          List.of(),
          "Overrides of single windows of writes.windows: the time and the number of writes at"
              + " which they close.");

  private WriteKeys() {}
}
