// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.rootdse;

/**
 * Where answers may differ from the directory's because an administrator wants it so. Immutable.
 *
 * @param referrals what becomes of referrals and references
 * @param mergeRanges whether attributes that come in ranges are put together
 */
public record AdaptConfig(Referrals referrals, boolean mergeRanges) {
  /** Nothing differs. */
  public static final AdaptConfig DEFAULTS = new AdaptConfig(Referrals.PASS, false);

  /** What becomes of referrals (RFC 4511, section 4.1.10) and references (section 4.5.3). */
  public enum Referrals {
    /** Clients get them. */
    PASS,
    /** Stoa follows those of writes, if they lead to one of its directory servers. */
    FOLLOW,
    /** References in results are left out. */
    HIDE
  }
}
