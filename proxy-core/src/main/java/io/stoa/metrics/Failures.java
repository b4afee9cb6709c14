// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.stoa.ldap.protocol.OpType;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts operations that ended with a failure, and referrals.
 *
 * <p>Threading: thread-safe.
 */
public final class Failures {
  /**
   * Result codes of failed authentication or missing rights: authMethodNotSupported,
   * strongerAuthRequired, inappropriateAuthentication, invalidCredentials, insufficientAccessRights
   * (RFC 4511, section 4.1.9).
   */
  private static final Set<Integer> SECURITY = Set.of(7, 8, 48, 49, 50);

  /**
   * Result codes other than success that are no failures: compareFalse, compareTrue, referral,
   * saslBindInProgress.
   */
  private static final Set<Integer> NO_FAILURES = Set.of(0, 5, 6, 10, 14);

  private static final int REFERRAL = 10;

  private final LongAdder referrals = new LongAdder();
  private final LongAdder all = new LongAdder();
  private final LongAdder security = new LongAdder();
  private final LongAdder binds = new LongAdder();

  void count(OpType type, int resultCode) {
    referrals.add(resultCode == REFERRAL ? 1 : 0);
    if (NO_FAILURES.contains(resultCode)) {
      return;
    }
    all.increment();
    if (SECURITY.contains(resultCode)) {
      security.increment();
      binds.add(type == OpType.BIND_REQUEST ? 1 : 0);
    }
  }

  /** Number of results that were referrals. Referrals are not failures. */
  public long referrals() {
    return referrals.sum();
  }

  /** Number of failed operations. */
  public long all() {
    return all.sum();
  }

  /** Number of operations that failed for missing rights or failed authentication. */
  public long security() {
    return security.sum();
  }

  /** Number of binds among the operations that {@link #security} counts. */
  public long securityOfBinds() {
    return binds.sum();
  }
}
