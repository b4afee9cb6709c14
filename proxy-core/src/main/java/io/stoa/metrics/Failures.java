// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.stoa.ldap.protocol.OpType;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/** Counts operations whose result is no success. Thread-safe. */
public final class Failures {
  /**
   * authMethodNotSupported, strongerAuthRequired, inappropriateAuthentication, invalidCredentials,
   * insufficientAccessRights (RFC 4511, section 4.1.9).
   */
  private static final Set<Integer> SECURITY = Set.of(7, 8, 48, 49, 50);

  /** compareFalse, compareTrue, referral, saslBindInProgress. */
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

  /** Results that were referrals, which are no failures. */
  public long referrals() {
    return referrals.sum();
  }

  /** All of them. */
  public long all() {
    return all.sum();
  }

  /** Those for lack of rights, or of a proof of who the client is. */
  public long security() {
    return security.sum();
  }

  /** Those of them that were binds. */
  public long securityOfBinds() {
    return binds.sum();
  }
}
