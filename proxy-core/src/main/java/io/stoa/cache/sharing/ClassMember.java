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

/** One identity in a declared class, and what is known of whether it belongs there. Thread-safe. */
public final class ClassMember {
  private static final Logger LOG = LoggerFactory.getLogger(ClassMember.class);

  /** So many hits are verified each, first and after every difference. */
  static final int PROBATION = 100;

  /** More differences without so many agreements in a row are not explained by changes alone. */
  static final int MOST_DIFFERENCES = 20;

  private final SharingClassState declared;
  private final Octets identity;
  private final CanonicalIdentity person;

  /** As what is new: the rest is kept for all spellings of its name, by {@link MemberHistory}. */
  private final AtomicInteger probation = new AtomicInteger(PROBATION);

  /**
   * Makes one.
   *
   * @param identity by which clients are told apart
   */
  ClassMember(SharingClassState declared, Octets identity, CanonicalIdentity person) {
    this.declared = declared;
    this.identity = identity;
    this.person = person;
  }

  SharingClassState declared() {
    return declared;
  }

  /** By which clients are told apart: it holds no password. */
  public Octets identity() {
    return identity;
  }

  CanonicalIdentity person() {
    return person;
  }

  /** Its DN for the log, without what could break a line. */
  String printableName() {
    byte[] dn = ClientIdentity.dnOf(identity);
    return dn == null ? "" : new String(dn, UTF_8).replaceAll("\\p{Cntrl}", "?");
  }

  /** Whether it, or another one of its class, is to be asked more about. */
  public boolean isSuspected() {
    return isOwing() || declared.isSuspected();
  }

  /** Whether each of its hits is verified. */
  boolean onProbation() {
    return probation.get() > 0 || declared.standings().onProbation(person);
  }

  /**
   * Whether it has what is stored for it to itself until a difference is explained. Until then
   * nobody is given what was read as it.
   */
  public boolean isHeld() {
    return declared.isHeld(person);
  }

  /**
   * A hit of it could not be verified: its client has gone or is somebody else now, or there was no
   * answer. Until it is known what upstream says to that, the member shares nothing: else it would
   * be in its hands not to be verified.
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

  /** Whether there is a hit like that. */
  boolean isOwing() {
    return declared.debts().isOwing(person);
  }

  /** Those that are to be asked again now. */
  List<Hit> owed(long now) {
    return isOwing() ? declared.debts().due(person, now) : List.of();
  }

  /** One of them is asked; it is answered then, or owed again. False if it is asked already. */
  boolean asks(Hit hit) {
    return declared.debts().asks(person, hit);
  }

  /** Whether one of them is being asked. */
  boolean isAsked() {
    return declared.debts().isAsked(person);
  }

  /** It is known what upstream says to a hit. */
  void answered(Hit hit) {
    declared.debts().paid(person, hit);
  }

  /** It is given what upstream gives it. */
  void agreed() {
    probation.updateAndGet(left -> Math.max(0, left - 1));
    declared.standings().agreed(person);
  }

  /** It was given something else: false if it was held already. */
  boolean differed() {
    boolean first = declared.holdFirst(person);
    if (first) {
      declared.standings().differed(person);
    }
    return first;
  }

  /** Whether that has happened too often. */
  boolean differsOften() {
    return declared.standings().differsOften(person);
  }

  /** What it was given had changed meanwhile: that proves nothing, and is counted nevertheless. */
  void excused() {
    declared.letGo(person);
  }

  /** It is proved that it is given what the feed tells: it was right not to be given the same. */
  void borneOut() {
    declared.standings().borneOut(person);
    declared.letGo(person);
  }

  /** The difference was one of time; it is looked at as if it were new. */
  void released() {
    probation.set(PROBATION);
    declared.standings().renew(person);
    declared.letGo(person);
  }
}
