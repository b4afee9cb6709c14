// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.rootdse;

/**
 * Settings by which responses differ from the directory's at the administrator's request.
 *
 * <p>Threading: immutable.
 *
 * @param referrals handling of referrals and references
 * @param mergeRanges true if attributes that arrive in ranges are merged
 */
public record AdaptConfig(Referrals referrals, boolean mergeRanges) {
  /** Settings without any difference. */
  public static final AdaptConfig DEFAULTS = new AdaptConfig(Referrals.PASS, false);

  /** Handling of referrals (RFC 4511, section 4.1.10) and references (section 4.5.3). */
  public enum Referrals {
    /** Passes them to clients. */
    PASS,
    /** Follows referrals of writes that lead to one of Stoa's directory servers. */
    FOLLOW,
    /** Omits references from results. */
    HIDE
  }
}
