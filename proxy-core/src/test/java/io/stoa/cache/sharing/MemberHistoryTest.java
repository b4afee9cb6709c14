// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.cache.sharing.VerifiableHit.ComparableAnswer;
import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.testing.ExpectedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is remembered of members beyond their sessions and their spellings, and how much of it. */
class MemberHistoryTest {
  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final SharingClassState declared =
      new SharingClassState(
          new Declaration("apps", List.of("cn=a"), List.of(), "dc=x", Attributes.ALL, false),
          () -> Octets.EMPTY);
  private final ClassMember one = join("cn=one");
  private final ClassMember two = join("cn=two");
  private final List<SharingClassState> demoted = new ArrayList<>();
  private long now;
  private final Verifier verifier = new Verifier(1, demoted::add, n -> true, () -> now);

  MemberHistoryTest() {
    verifier.maxLag(VerifierTest.SETTLE);
  }

  private ClassMember join(String name) {
    return declared.join(
        Octets.ofUtf8(name), new CanonicalIdentity(Octets.EMPTY, Octets.ofUtf8(name)));
  }

  /** It is given something, and upstream says something else, which has changed meanwhile. */
  private ScriptedHit changed(ClassMember member) throws LdapProtocolException {
    ScriptedHit upstream = new ScriptedHit(32);
    upstream.changed = true;
    verifier.onHit(member, () -> upstream);
    return upstream;
  }

  private void known(ClassMember member) throws LdapProtocolException {
    for (int hit = 0; hit < ClassMember.PROBATION; hit++) {
      verifier.onHit(member, () -> new ScriptedHit(0));
    }
  }

  private ClassMember spelled(ClassMember member, int number) {
    return declared.join(Octets.ofUtf8("cn=spelling" + number), member.canonical());
  }

  /** Else who deviates in what changes all the time would be excused for ever. */
  @Test
  void spellingsOfOneNameCountAsOneMember() throws Exception {
    for (int time = 0; time < ClassMember.MOST_DIFFERENCES; time++) {
      assertThat(changed(spelled(one, time)).forgotten).isFalse();
      assertThat(one.isHeld()).isFalse();
    }
    assertThat(changed(spelled(one, ClassMember.MOST_DIFFERENCES)).forgotten).isTrue();
    assertThat(verifier.mayShare(one)).isFalse();
    for (int time = 0; time < MismatchInvestigation.DEVIATIONS_NEEDED; time++) {
      verifier.onClientAvailable(two, evidence -> new ScriptedHit(0));
      now += VerifierTest.SETTLE.toNanos();
      verifier.onClientAvailable(one, evidence -> new ScriptedHit(32));
    }
    assertThat(demoted).containsExactly(declared);
  }

  @Test
  void anExplainedDifferencePutsAllSpellingsOnProbation() throws Exception {
    ClassMember again = spelled(one, 1);
    known(again);
    verifier.onHit(one, () -> new ScriptedHit(32));
    verifier.onClientAvailable(two, evidence -> new ScriptedHit(32));
    assertThat(verifier.mayShare(again)).isTrue();
    assertThat(again.isOnProbation()).isTrue();
    known(again);
    assertThat(again.isOnProbation()).isFalse();
  }

  /** There is room for so many; in doubt nothing is excused. */
  @Test
  void everyHitIsVerifiedWhileTooManyMembersDiffer() throws Exception {
    known(two);
    for (int number = 0; number < MemberHistory.MOST; number++) {
      assertThat(two.isOnProbation()).isFalse();
      changed(join("cn=" + number));
    }
    assertThat(two.isOnProbation()).isTrue();
    assertThat(changed(two).forgotten).isTrue();
    assertThat(two.isHeld()).isTrue();
    known(join("cn=0"));
    assertThat(two.isOnProbation()).isFalse();
  }

  @Test
  void aClassThatIsRestoredRemembersNothing() throws Exception {
    for (int time = 0; time <= ClassMember.MOST_DIFFERENCES; time++) {
      changed(one);
    }
    assertThat(one.differsOften()).isTrue();
    declared.demote();
    declared.restore();
    assertThat(changed(one).forgotten).isFalse();
    assertThat(one.differsOften()).isFalse();
  }

  /** So many with answers of that length that there is no room for what others owe. */
  private void leaveWithMuch() throws LdapProtocolException {
    int length = 1 << 20;
    for (long owed = 0; owed < PendingVerifications.MOST_OCTETS; owed += length) {
      assertThat(verifier.mayShare(one)).isTrue();
      leaveWith(join("cn=" + owed / length), length);
    }
    assertThat(verifier.mayShare(one)).isFalse();
  }

  private void leaveWith(ClassMember member, int length) throws LdapProtocolException {
    Set<Octets> value = Set.of(Octets.of(new byte[length]));
    ScriptedHit gone = new ScriptedHit();
    gone.given =
        new ComparableAnswer(
            new ResponseContents(
                0, Map.of(Octets.ofUtf8("cn=x"), Map.of(Octets.ofUtf8("cn"), value)), 1),
            Octets.EMPTY);
    verifier.onHit(member, () -> gone);
  }

  private void paid(String name) {
    verifier.onClientAvailable(
        join(name),
        hit -> {
          ScriptedHit again = new ScriptedHit();
          again.given = hit.servedAnswer();
          again.answers.add(hit.servedAnswer());
          return again;
        });
  }

  /** I10: answers may be large; what is not kept of them is not forgotten. */
  @Test
  void aMemberWhosePendingHitFindsNoRoomSharesNothing() throws Exception {
    known(two);
    leaveWithMuch();
    assertThat(log.warnings()).hasSize(1);
    assertThat(log.warnings().get(0)).contains("apps", "16");
    assertThat(verifier.mayShare(two)).isTrue();
    leaveWith(two, 1);
    assertThat(two.hasPending()).isFalse();
    assertThat(verifier.mayShare(two)).isFalse();
    paid("cn=0");
    assertThat(verifier.mayShare(two)).isTrue();
    assertThat(two.isOnProbation()).isTrue();
    declared.demote();
    declared.restore();
    leaveWithMuch();
    assertThat(log.warnings()).hasSize(2);
  }

  /** Else nobody would begin to share any more. */
  @Test
  void oldPendingVerificationsMakeRoomAndEndInProbation() throws Exception {
    ClassMember first = join("cn=0");
    known(first);
    leaveWithMuch();
    assertThat(log.warnings()).hasSize(1);
    now += PendingVerifications.OLD_NANOS - PendingVerifications.SCAN_NANOS;
    assertThat(verifier.mayShare(one)).isFalse();
    assertThat(first.hasPending()).isTrue();
    now += PendingVerifications.SCAN_NANOS;
    assertThat(verifier.mayShare(one)).isTrue();
    assertThat(first.hasPending()).isFalse();
    assertThat(first.isOnProbation()).isTrue();
  }
}
