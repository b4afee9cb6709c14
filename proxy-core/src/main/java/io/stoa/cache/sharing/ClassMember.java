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

  private final SharingClassState classState;
  private final Octets identity;
  private final CanonicalIdentity canonical;

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
    this.classState = declared;
    this.identity = identity;
    this.canonical = person;
  }

  SharingClassState classState() {
    return classState;
  }

  /** Returns the name by which clients are distinguished, which contains no password. */
  public Octets identity() {
    return identity;
  }

  CanonicalIdentity canonical() {
    return canonical;
  }

  /** Returns the DN for the log, without control characters. */
  String printableName() {
    byte[] dn = ClientIdentity.dnOf(identity);
    return dn == null ? "" : new String(dn, UTF_8).replaceAll("\\p{Cntrl}", "?");
  }

  /** True if this member, or an investigation of its class, may need further requests. */
  public boolean isSuspected() {
    return hasPending() || classState.hasInvestigations();
  }

  /** True if each of its hits is verified. */
  boolean isOnProbation() {
    return probation.get() > 0 || classState.memberHistory().isOnProbation(canonical);
  }

  /**
   * True if this member is held back from sharing until a mismatch is explained. Until then no
   * client is served data that was read as this member.
   */
  public boolean isHeld() {
    return classState.isHeld(canonical);
  }

  /**
   * Adds a hit that could not be verified, because its client has left or rebound, or there was no
   * answer. The member shares nothing until the hit is verified. Otherwise a client could avoid
   * verification.
   */
  void addPending(Hit hit, long now) {
    if (classState.pendingVerifications().add(canonical, hit, now)) {
      LOG.warn(
          "sharing class {}: verification is pending for {} members whose clients "
              + "left before it. Members on probation do not share results until they return",
          classState.declaration().name(),
          classState.pendingVerifications().count());
    }
  }

  /** True if verifications of its hits are pending. */
  boolean hasPending() {
    return classState.pendingVerifications().hasPending(canonical);
  }

  /** Returns the pending hits that are due for another attempt. */
  List<Hit> duePending(long now) {
    return hasPending() ? classState.pendingVerifications().due(canonical, now) : List.of();
  }

  /**
   * Marks a pending hit as being verified. The result is reported by {@link #onVerified} or {@link
   * #addPending}.
   *
   * @return false if it is being verified already
   */
  boolean startVerifying(Hit hit) {
    return classState.pendingVerifications().startVerifying(canonical, hit);
  }

  /** True if a pending hit is being verified. */
  boolean isVerifying() {
    return classState.pendingVerifications().isVerifying(canonical);
  }

  /** Called when a pending hit has been compared with upstream. */
  void onVerified(Hit hit) {
    classState.pendingVerifications().remove(canonical, hit);
  }

  /** Called when a hit equals the answer from upstream. */
  void onAgreement() {
    probation.updateAndGet(left -> Math.max(0, left - 1));
    classState.memberHistory().onAgreement(canonical);
  }

  /** Called when a hit differs from upstream. Returns false if the member was held back already. */
  boolean onMismatch() {
    boolean first = classState.hold(canonical);
    if (first) {
      classState.memberHistory().onMismatch(canonical);
    }
    return first;
  }

  /** True if this member has differed too often to be excused by a change. */
  boolean differsOften() {
    return classState.memberHistory().differsOften(canonical);
  }

  /**
   * Called when the directory has changed meanwhile. Proves nothing, so the mismatch still counts.
   */
  void onExcused() {
    classState.release(canonical);
  }

  /**
   * Called when the member's answer was proved equal to the feed account's. The mismatch does not
   * count.
   */
  void onConfirmed() {
    classState.memberHistory().takeBackMismatch(canonical);
    classState.release(canonical);
  }

  /** Called when the mismatch was a matter of time. The member is verified as if it were new. */
  void onExplained() {
    probation.set(PROBATION);
    classState.memberHistory().renew(canonical);
    classState.release(canonical);
  }
}
