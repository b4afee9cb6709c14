// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.ldap.protocol.Octets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hits that cannot be verified at once are verified later, and their member shares nothing till
 * then.
 */
class PendingVerificationTest extends VerifierFixture {
  /** A new member that asks for much at once shares no more than can be verified. */
  @Test
  void aMemberOnProbationSharesOnlyVerifiableHits() {
    Verifier verifier = verifier(1);
    ScriptedHit upstream = new ScriptedHit(0);
    upstream.silent = true;
    int shared = 0;
    while (verifier.mayShare(one)) {
      hit(verifier, one, upstream, 0);
      shared++;
    }
    assertThat(shared).isEqualTo(Verifier.MAX_CONCURRENT);
    assertThat(verifier.mayShare(two)).isFalse();
    upstream.waiting.accept(null); // no answer came: it is not verified, and its place is free
    assertThat(verifier.mayShare(two)).isTrue();
    assertThat(declared.status(0).samples()).isZero();
  }

  /** Its clients are gone, or somebody else, when they have their answer. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aMemberWithAnUnverifiedHitSharesNothing(boolean onProbation) {
    Verifier verifier = verifier(1);
    if (!onProbation) {
      for (int hit = 0; hit < ClassMember.PROBATION; hit++) {
        hit(verifier, one, new ScriptedHit(0), 0);
      }
    }
    ScriptedHit gone = new ScriptedHit();
    for (int hit = 0; hit < 100 * ONE_IN && verifier.mayShare(one); hit++) {
      hit(verifier, one, gone, 0);
    }
    assertThat(verifier.mayShare(one)).isFalse();
    assertThat(verifier.mayShare(two)).isTrue();
    now += TimeUnit.HOURS.toNanos(1);
    verifier.onClientAvailable(two, evidence -> new ScriptedHit(0));
    assertThat(verifier.mayShare(one)).as("however long ago that was").isFalse();
    verifier.onClientAvailable(one, evidence -> new ScriptedHit());
    assertThat(verifier.mayShare(one)).as("the client has left again").isFalse();
    now += PendingVerifications.RETRY_NANOS;
    verifier.onClientAvailable(one, evidence -> given(evidence, 0));
    assertThat(verifier.mayShare(one)).isTrue();
  }

  /** A loop may have taken the last place since another one has seen it free. */
  @Test
  void aHitWithoutAPermitIsVerifiedLater() {
    Verifier verifier = verifier(1);
    ScriptedHit upstream = new ScriptedHit(0);
    upstream.silent = true;
    for (int hit = 0; hit < Verifier.MAX_CONCURRENT; hit++) {
      hit(verifier, one, upstream, 0);
    }
    hit(verifier, two, new ScriptedHit(0), 0);
    upstream.waiting.accept(null);
    assertThat(verifier.mayShare(two)).isFalse();
    verifier.onClientAvailable(two, evidence -> given(evidence, 32));
    assertThat(two.isSuspended()).isTrue();
  }

  private void leave(Verifier verifier, String name) {
    hit(verifier, join(declared, Octets.ofUtf8(name)), new ScriptedHit(), 0);
  }

  /** I10: they are all remembered, and no more of them than there is room for. */
  @Test
  void noMemberBeginsToShareIfTooManyHitsAreUnverified() {
    Verifier verifier = verifier(1);
    for (int hit = 0; hit < ClassMember.PROBATION; hit++) {
      hit(verifier, two, new ScriptedHit(0), 0);
    }
    for (int number = 1; number < PendingVerifications.MAX; number++) {
      leave(verifier, "cn=" + number);
    }
    assertThat(verifier.mayShare(one)).isTrue();
    assertThat(declared.pendingVerifications().isFull(now)).isFalse();
    leave(verifier, "cn=last");
    leave(verifier, "cn=more");
    assertThat(declared.pendingVerifications().count()).isEqualTo(PendingVerifications.MAX);
    assertThat(verifier.mayShare(one)).isFalse();
    assertThat(verifier.mayShare(two)).as("after the verification").isTrue();
    for (String name : List.of("cn=1", "cn=last")) {
      ClassMember back = join(declared, Octets.ofUtf8(name));
      assertThat(verifier.mayShare(back)).isFalse();
      verifier.onClientAvailable(back, evidence -> given(evidence, 0));
    }
    assertThat(verifier.mayShare(one)).isTrue();
    assertThat(log.warnings()).as("logged once").hasSize(1);
  }

  @Test
  void theLogNamesTheNumberOfMembersThatHaveLeft() {
    Verifier verifier = verifier(1);
    for (int number = 0; number < PendingVerifications.MAX; number++) {
      leave(verifier, "cn=" + number);
    }
    assertThat(log.warnings().get(0))
        .contains("sharing class apps: 10000 members left before their hits were verified")
        .contains("fewer than 100 verified hits share nothing until some return");
  }

  @Test
  void anUnverifiedHitIsHeldAgainstTheMemberLater() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new ScriptedHit(), 0);
    verifier.onClientAvailable(one, evidence -> given(evidence, 32));
    assertThat(one.isSuspended()).isTrue();
    assertThat(declared.status(0).differences()).isEqualTo(1);
  }

  /** One that is answered does not stand for those that are not. */
  @Test
  void eachUnverifiedHitIsVerified() {
    Verifier verifier = verifier(1);
    ScriptedHit first = new ScriptedHit(0);
    first.silent = true;
    ScriptedHit second = new ScriptedHit(32);
    second.silent = true;
    hit(verifier, one, first, 0);
    hit(verifier, one, second, 0);
    first.waiting.accept(null);
    second.waiting.accept(null);
    verifier.onClientAvailable(
        one, evidence -> evidence == second ? new ScriptedHit() : given(evidence, 0));
    assertThat(verifier.mayShare(one)).isFalse();
    verifier.onClientAvailable(one, evidence -> given(evidence, 32));
    assertThat(one.isSuspended()).as("no verification is due").isFalse();
    now += PendingVerifications.RETRY_NANOS;
    verifier.onClientAvailable(one, evidence -> given(evidence, 32));
    assertThat(one.isSuspended()).isTrue();
  }

  /** It is not answered from memory then: it could be gone after that. */
  @Test
  void aClientThatIsAskedGetsNoHitMeanwhile() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new ScriptedHit(), 0);
    ScriptedHit silent = new ScriptedHit();
    silent.silent = true;
    assertThat(verifier.onClientAvailable(one, evidence -> silent)).isTrue();
    now += PendingVerifications.RETRY_NANOS;
    assertThat(verifier.onClientAvailable(one, evidence -> given(evidence, 0))).isTrue();
    assertThat(verifier.mayShare(one)).as("a verification is in flight").isFalse();
    silent.waiting.accept(null);
    assertThat(verifier.onClientAvailable(one, evidence -> given(evidence, 0))).isFalse();
    now += PendingVerifications.RETRY_NANOS;
    assertThat(verifier.onClientAvailable(one, evidence -> new ScriptedHit()))
        .as("no server is there")
        .isFalse();
    now += PendingVerifications.RETRY_NANOS;
    assertThat(verifier.onClientAvailable(one, evidence -> given(evidence, 0))).isFalse();
    assertThat(verifier.mayShare(one)).isTrue();
  }

  @Test
  void aFailedPendingVerificationIsRepeated() {
    Verifier verifier = verifier(1);
    ScriptedHit first = new ScriptedHit(0);
    first.silent = true;
    ScriptedHit second = new ScriptedHit(0);
    second.silent = true;
    hit(verifier, one, first, 0);
    hit(verifier, one, second, 0);
    first.waiting.accept(null);
    second.waiting.accept(null);
    assertThatThrownBy(
            () -> verifier.onClientAvailable(one, hit -> new Failing(Failing.At.ASK).copy()))
        .isInstanceOf(IllegalStateException.class);
    now += PendingVerifications.RETRY_NANOS;
    verifier.onClientAvailable(one, evidence -> given(evidence, 0));
    assertThat(verifier.mayShare(one)).isTrue();
    assertThat(declared.status(0).samples()).isEqualTo(2);
  }

  /** Whatever goes wrong when a hit is to be asked again: the next ones are. */
  @ParameterizedTest
  @EnumSource(Failing.At.class)
  void aFailedVerificationDoesNotBlockOthers(Failing.At at) {
    Verifier verifier = verifier(1);
    for (int hit = 0; hit < 2 * Verifier.MAX_CONCURRENT; hit++) {
      ClassMember member = join(declared, Octets.ofUtf8("cn=" + hit));
      assertThatThrownBy(() -> verifier.onHit(member, new Failing(at)))
          .isInstanceOf(IllegalStateException.class);
    }
    hit(verifier, one, new ScriptedHit(0), 0);
    assertThat(declared.status(0).samples()).isEqualTo(1);
  }

  /** A hit is lost since there is no room for it: no spelling of the name shares unverified. */
  @Test
  void probationBeginsForAllSpellings() {
    Verifier verifier = new Verifier(ONE_IN, demoted::add, n -> false, () -> now);
    ClassMember again = declared.join(Octets.ofUtf8("CN=one"), one.canonical());
    for (int hit = 0; hit < ClassMember.PROBATION; hit++) {
      hit(verifier, again, new ScriptedHit(0), 0);
    }
    assertThat(again.isOnProbation(0)).isFalse();
    one.beginProbation();
    assertThat(again.isOnProbation(0)).isTrue();
    assertThat(one.isOnProbation(0)).isTrue();
  }

  /** Limits of decoding were lowered: it cannot be asked again, ever. */
  @Test
  void aPendingHitThatIsMalformedIsDropped() {
    Verifier verifier = verifier(1);
    for (int hit = 0; hit < ClassMember.PROBATION; hit++) {
      hit(verifier, one, new ScriptedHit(0), 0);
    }
    one.addPending(new ScriptedHit(), now);
    ScriptedHit malformed =
        new ScriptedHit() {
          @Override
          public boolean isMalformed() {
            return true;
          }
        };
    verifier.onClientAvailable(one, evidence -> malformed);
    assertThat(one.hasPending()).isFalse();
    assertThat(one.isOnProbation(0)).isTrue();
  }
}
