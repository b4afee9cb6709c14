// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.cache.sharing.VerifiableHit.Hit;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientIdentity;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An identity in a sharing class, with the evidence whether it belongs there.
 *
 * <p>Threading: thread-safe.
 */
public final class ClassMember {
  private static final Logger LOG = LoggerFactory.getLogger(ClassMember.class);

  /** Number of hits that are all verified for a new member and after each mismatch: 100. */
  static final int PROBATION = 100;

  /**
   * Maximum number of mismatches without {@link #PROBATION} agreements in a row: 20. More are no
   * longer excused by changes of the directory.
   */
  static final int MOST_DIFFERENCES = 20;

  private final SharingClassState declared;
  private final Octets identity;
  private final CanonicalIdentity person;

  /**
   * Hits of a new member still to be verified. {@link MemberHistory} keeps the rest by canonical
   * identity.
   */
  private final AtomicInteger probation = new AtomicInteger(PROBATION);

  /**
   * Creates a member.
   *
   * @param identity the name by which clients are distinguished
   */
  ClassMember(SharingClassState declared, Octets identity, CanonicalIdentity person) {
    this.declared = declared;
    this.identity = identity;
    this.person = person;
  }

  SharingClassState declared() {
    return declared;
  }

  /** Returns the name by which clients are distinguished, which contains no password. */
  public Octets identity() {
    return identity;
  }

  CanonicalIdentity person() {
    return person;
  }

  /** Returns the DN for the log, without control characters. */
  String printableName() {
    byte[] dn = ClientIdentity.dnOf(identity);
    return dn == null ? "" : new String(dn, UTF_8).replaceAll("\\p{Cntrl}", "?");
  }

  /** True if this member, or an investigation of its class, may need further requests. */
  public boolean isSuspected() {
    return isOwing() || declared.isSuspected();
  }

  /** True if each of its hits is verified. */
  boolean onProbation() {
    return probation.get() > 0 || declared.standings().onProbation(person);
  }

  /**
   * True if this member is held back from sharing until a mismatch is explained. Until then no
   * client is served data that was read as this member.
   */
  public boolean isHeld() {
    return declared.isHeld(person);
  }

  /**
   * Adds a hit that could not be verified, because its client has left or rebound, or there was no
   * answer. The member shares nothing until the hit is verified. Otherwise a client could avoid
   * verification.
   */
  void owes(Hit hit, long now) {
    if (declared.debts().add(person, hit, now)) {
      LOG.warn(
          "access class {}: {} of its members are still to be compared with the directory, and were"
              + " gone when they were to be; until they come again others do not begin to share",
          declared.declaration().name(),
          declared.debts().count());
    }
  }

  /** True if verifications of its hits are pending. */
  boolean isOwing() {
    return declared.debts().isOwing(person);
  }

  /** Returns the pending hits that are due for another attempt. */
  List<Hit> owed(long now) {
    return isOwing() ? declared.debts().due(person, now) : List.of();
  }

  /**
   * Marks a pending hit as being verified. The result is reported by {@link #answered} or {@link
   * #owes}.
   *
   * @return false if it is being verified already
   */
  boolean asks(Hit hit) {
    return declared.debts().asks(person, hit);
  }

  /** True if a pending hit is being verified. */
  boolean isAsked() {
    return declared.debts().isAsked(person);
  }

  /** Called when a pending hit has been compared with upstream. */
  void answered(Hit hit) {
    declared.debts().paid(person, hit);
  }

  /** Called when a hit equals the answer from upstream. */
  void agreed() {
    probation.updateAndGet(left -> Math.max(0, left - 1));
    declared.standings().agreed(person);
  }

  /** Called when a hit differs from upstream. Returns false if the member was held back already. */
  boolean differed() {
    boolean first = declared.holdFirst(person);
    if (first) {
      declared.standings().differed(person);
    }
    return first;
  }

  /** True if this member has differed too often to be excused by a change. */
  boolean differsOften() {
    return declared.standings().differsOften(person);
  }

  /**
   * Called when the directory has changed meanwhile. Proves nothing, so the mismatch still counts.
   */
  void excused() {
    declared.letGo(person);
  }

  /**
   * Called when the member's answer was proved equal to the feed account's. The mismatch does not
   * count.
   */
  void borneOut() {
    declared.standings().borneOut(person);
    declared.letGo(person);
  }

  /** Called when the mismatch was a matter of time. The member is verified as if it were new. */
  void released() {
    probation.set(PROBATION);
    declared.standings().renew(person);
    declared.letGo(person);
  }
}
