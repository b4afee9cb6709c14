// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import static io.stoa.net.transport.InvalidConfigException.requireAtLeast;

/**
 * When a log file is rotated, and which rotated files stay.
 *
 * <p>Threading: immutable.
 *
 * @param maxSize octets of a file at which it is rotated; 0 if another program rotates it
 * @param keep number of days, or of files without daily rotation, that stay
 * @param maxTotalSize octets of all rotated files, beyond which the oldest are deleted
 * @param compress true if rotated files are compressed by gzip
 */
public record Rotation(long maxSize, int keep, long maxTotalSize, boolean compress) {
  /** Defaults: 100 MiB, 14 days, 5 GiB, compressed. */
  public static final Rotation DEFAULTS = new Rotation(100L << 20, 14, 5L << 30, true);

  private static final long MIN_SIZE = 1 << 10;

  public Rotation {
    if (maxSize != 0) {
      requireAtLeast("log.rotation.maxSize", maxSize, MIN_SIZE);
    }
    requireAtLeast("log.rotation.keepDays", keep, 0);
  }

  /** True if Stoa rotates the file. */
  boolean isOwn() {
    return maxSize != 0;
  }
}
