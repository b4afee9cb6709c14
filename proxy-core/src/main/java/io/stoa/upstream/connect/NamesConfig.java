// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import static io.stoa.net.transport.InvalidConfigException.requirePositive;

import io.stoa.net.transport.InvalidConfigException;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * Discovery of the servers of a domain.
 *
 * <p>Threading: immutable.
 *
 * @param nameServer {@code ADDRESS} or {@code ADDRESS:PORT} of the name server to query; empty for
 *     those of the system
 * @param resolveInterval time between two queries
 */
public record NamesConfig(String nameServer, Duration resolveInterval) {
  private static final Pattern SERVER =
      Pattern.compile("[A-Za-z0-9.-]+(:\\d{1,5})?|\\[[0-9a-fA-F:.]+\\](:\\d{1,5})?");

  /** Defaults: name servers of the system, every 30 s. */
  public static final NamesConfig DEFAULTS = new NamesConfig("", Duration.ofSeconds(30));

  public NamesConfig {
    if (!nameServer.isEmpty() && !SERVER.matcher(nameServer).matches()) {
      throw new InvalidConfigException(
          "nameServer", " '" + nameServer + "' is not of the form ADDRESS or ADDRESS:PORT");
    }
    requirePositive("resolveInterval", resolveInterval);
  }
}
