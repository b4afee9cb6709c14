// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * How the servers of a domain are found. Immutable.
 *
 * @param nameServer {@code ADDRESS} or {@code ADDRESS:PORT} of the name server that is asked for
 *     them; empty for those of the system
 * @param resolveInterval how often it is asked
 */
public record NamesConfig(String nameServer, Duration resolveInterval) {
  private static final Pattern SERVER =
      Pattern.compile("[A-Za-z0-9.-]+(:\\d{1,5})?|\\[[0-9a-fA-F:.]+\\](:\\d{1,5})?");

  /** The system's, twice a minute. */
  public static final NamesConfig DEFAULTS = new NamesConfig("", Duration.ofSeconds(30));

  public NamesConfig {
    if (!nameServer.isEmpty() && !SERVER.matcher(nameServer).matches()) {
      throw new IllegalArgumentException(
          "nameServer '" + nameServer + "' is not of the form ADDRESS or ADDRESS:PORT");
    }
    if (resolveInterval.isZero() || resolveInterval.isNegative()) {
      throw new IllegalArgumentException("resolveInterval must be longer than 0");
    }
  }
}
