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

  /**
   * Number of hits that are all verified for a new member, and for each member after a change of
   * rights: 100.
   */
  static final int PROBATION = 100;

  private final SharingClassState classState;
  private final Octets identity;
  private final CanonicalIdentity canonical;

  /** Number of hits that are still all verified. */
  private final AtomicInteger probation = new AtomicInteger(PROBATION);

  /** Number of reasons for a probation that were known at the last hit. */
  private volatile long reasons;

  /**
   * Creates a member.
   *
   * @param identity the name by which clients are distinguished
   */
  ClassMember(SharingClassState state, Octets identity, CanonicalIdentity canonical) {
    this.classState = state;
    this.identity = identity;
    this.canonical = canonical;
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

  /** True if requests as this member may be needed: verifications or investigations are open. */
  public boolean mayBeAsked() {
    return hasPending() || classState.hasInvestigations();
  }

  /**
   * True if each of its hits is verified.
   *
   * @param rightsChanges number of known changes of rights, each of which begins the probation anew
   */
  boolean isOnProbation(long rightsChanges) {
    return reasons(rightsChanges) != reasons || probation.get() > 0;
  }

  private long reasons(long rightsChanges) {
    return rightsChanges + classState.pendingVerifications().probations(canonical);
  }

  /** Called for each hit. Returns true if the member is on probation. */
  boolean onHit(long rightsChanges) {
    long known = reasons(rightsChanges);
    if (known != reasons) {
      probation.set(PROBATION); // first, so that no hit stays unverified
      reasons = known;
    }
    return probation.get() > 0;
  }

  /** Begins the probation anew, for all spellings of the name. */
  void beginProbation() {
    classState.pendingVerifications().beginProbation(canonical);
  }

  /**
   * True if this member is suspended: it shares nothing until a mismatch is explained. Until then
   * no client is served data that was read as this member.
   */
  public boolean isSuspended() {
    return classState.isSuspended(canonical);
  }

  /**
   * Adds a hit that could not be verified, because its client has left or rebound, or there was no
   * answer. The member shares nothing until the hit is verified. Otherwise a client could avoid
   * verification.
   */
  void addPending(Hit hit, long now) {
    if (classState.pendingVerifications().add(this, hit, now)) {
      LOG.warn(
          "sharing class {}: {} members left before their hits were verified. Members with fewer "
              + "than {} verified hits share nothing until some return",
          classState.declaration().name(),
          classState.pendingVerifications().count(),
          PROBATION);
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

  /** True if {@link #duePending} would return hits. Marks nothing. */
  boolean isVerificationDue(long now) {
    return hasPending() && classState.pendingVerifications().isDue(canonical, now);
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
  }
}
