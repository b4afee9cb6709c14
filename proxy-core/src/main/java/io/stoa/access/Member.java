// SPDX-License-Identifier: Apache-2.0
package io.stoa.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.Octets;
import io.stoa.operation.ClientIdentity;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** One identity in a declared class, and what is known of whether it belongs there. Thread-safe. */
public final class Member {
  /** So many hits are verified each, first and after every difference. */
  static final int PROBATION = 100;

  /** More differences without so many agreements in a row between them are not explained. */
  static final int MOST_DIFFERENCES = 20;

  /** So many hits in a row that cannot be verified are given while each is to be. */
  static final int MOST_UNANSWERED = 3;

  /** For so long: the directory may have been out of reach. */
  private static final long UNANSWERED_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Declared declared;
  private final Octets identity;
  private final Octets manner;
  private final AtomicInteger unanswered = new AtomicInteger();
  private volatile long unansweredAt;
  private final AtomicInteger probation = new AtomicInteger(PROBATION);
  private int agreements;
  private int differences;

  /**
   * Makes one.
   *
   * @param manner all that the directory may know of it beside its name
   */
  Member(Declared declared, Octets identity, Octets manner) {
    this.declared = declared;
    this.identity = identity;
    this.manner = manner;
  }

  Declared declared() {
    return declared;
  }

  /** By which clients are told apart: it holds no password. */
  public Octets identity() {
    return identity;
  }

  Octets manner() {
    return manner;
  }

  /** Its DN for the log, without what could break a line. */
  String printableName() {
    byte[] dn = ClientIdentity.dnOf(identity);
    return dn == null ? "" : new String(dn, UTF_8).replaceAll("\\p{Cntrl}", "?");
  }

  /** Whether it, or another one of its class, is to be asked more about. */
  public boolean isSuspected() {
    return declared.isSuspected();
  }

  /** Whether each of its hits is verified. */
  boolean onProbation() {
    return probation.get() > 0;
  }

  /**
   * Whether it has what is stored for it to itself until a difference is explained. Until then
   * nobody is given what was read as it.
   */
  public boolean isHeld() {
    return declared.isHeld(identity);
  }

  /** A hit of it could not be verified: its client has gone, or there was no answer. */
  void unanswered(long now) {
    unansweredAt = now;
    unanswered.incrementAndGet();
  }

  /** Whether its hits can be verified, as a rule; it is tried again after a while. */
  boolean isAnswered(long now) {
    return unanswered.get() < MOST_UNANSWERED || now - unansweredAt >= UNANSWERED_NANOS;
  }

  /** It is given what upstream gives it. */
  synchronized void agreed() {
    unanswered.set(0);
    probation.updateAndGet(left -> Math.max(0, left - 1));
    agreements++;
    if (agreements >= PROBATION) {
      differences = 0;
    }
  }

  /** It was given something else: false if it was held already. */
  synchronized boolean differed() {
    if (!declared.holdFirst(identity)) {
      return false;
    }
    agreements = 0;
    differences++;
    return true;
  }

  /** Whether that has happened too often. */
  synchronized boolean differsOften() {
    return differences > MOST_DIFFERENCES;
  }

  /** What it was given had changed meanwhile: that proves nothing, and is counted nevertheless. */
  void excused() {
    declared.letGo(identity);
  }

  /** It is proved that it is given what the feed tells: it was right not to be given the same. */
  synchronized void borneOut() {
    differences = Math.max(0, differences - 1);
    declared.letGo(identity);
  }

  /** The difference was one of time; it is looked at as if it were new. */
  void released() {
    probation.set(PROBATION);
    declared.letGo(identity);
  }
}
