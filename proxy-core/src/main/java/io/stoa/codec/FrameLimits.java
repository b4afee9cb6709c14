// SPDX-License-Identifier: Apache-2.0
package io.stoa.codec;

/**
 * The largest LDAPMessage that is taken, header included.
 *
 * <p>Immutable.
 *
 * @param beforeBind octets, from clients that have not authenticated
 * @param afterBind octets
 */
public record FrameLimits(int beforeBind, int afterBind) {
  public static final FrameLimits DEFAULTS = new FrameLimits(256 * 1024, 4 * 1024 * 1024);

  private static final int SMALLEST = 1024;

  public FrameLimits {
    if (beforeBind < SMALLEST || afterBind < SMALLEST) {
      throw new IllegalArgumentException("a frame limit must be at least " + SMALLEST + " octets");
    }
  }
}
