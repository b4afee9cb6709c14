// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.cache.sharing.VerifiableHit.ComparableAnswer;
import io.stoa.ldap.protocol.Octets;
import io.stoa.testing.SmallDirectory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which answers are verified, and what is made of it. */
class VerifierTest extends VerifierFixture {
  private static final int MANY = 60;

  private static CanonicalIdentity person(String name) {
    return new CanonicalIdentity(Octets.EMPTY, Octets.ofUtf8(name));
  }

  @Test
  void theFirstHundredHitsAreVerifiedAndThenASample() {
    Verifier verifier = verifier(1);
    ScriptedHit upstream = new ScriptedHit(0);
    for (int hit = 0; hit < ClassMember.PROBATION; hit++) {
      hit(verifier, one, upstream, 0);
    }
    assertThat(declared.status(0).samples()).isEqualTo(ClassMember.PROBATION);
    for (int hit = 0; hit < 100 * ONE_IN; hit++) {
      hit(verifier, one, upstream, 0);
    }
    assertThat(declared.status(0).samples() - ClassMember.PROBATION).isBetween(60L, 140L);
    assertThat(declared.status(0).differences()).isZero();
    assertThat(one.isSuspended()).isFalse();
  }

  /** I11: whenever it begins, it is seen within the reciprocal of the rate, as a rule. */
  @Test
  void aMemberThatBeginsToDeviateIsHeldWithinTheSampleRate() {
    long hits = 0;
    int seeds = 400;
    for (int seed = 0; seed < seeds; seed++) {
      Verifier verifier = verifier(seed);
      ClassMember member = join(declared(false), Octets.ofUtf8("cn=" + seed));
      for (int hit = 0; hit < ClassMember.PROBATION; hit++) {
        hit(verifier, member, new ScriptedHit(0), 0);
      }
      while (!member.isSuspended()) {
        hit(verifier, member, new ScriptedHit(32), 0);
        hits++;
      }
    }
    double mean = (double) hits / seeds;
    assertThat(mean).isBetween(0.8 * ONE_IN, 1.2 * ONE_IN);
  }

  /** I11: one that deviates from the beginning is given one answer, and no more. */
  @Test
  void aMemberThatDeviatesFromTheBeginningIsHeldAfterOneHit() {
    Verifier verifier = verifier(1);
    ScriptedHit upstream = new ScriptedHit(32);
    hit(verifier, one, upstream, 0);
    assertThat(one.isSuspended()).isTrue();
    assertThat(verifier.mayShare(one)).isFalse();
    assertThat(upstream.forgotten).isTrue();
    assertThat(declared.isDemoted()).isFalse();
    assertThat(verifier.mayShare(two)).isTrue();
  }

  private void ask(Verifier verifier, ClassMember member, int code) {
    verifier.onClientAvailable(member, evidence -> new ScriptedHit(code));
  }

  /** The two are told again what they were told before, when that has settled. */
  private void assertDemotedAfterSettling(Verifier verifier) {
    assertDemotedAfterSettling(verifier, one, two);
  }

  private void assertDemotedAfterSettling(
      Verifier verifier, ClassMember member, ClassMember other) {
    ask(verifier, other, 0);
    now += SETTLE.toNanos();
    ask(verifier, member, 32);
    ask(verifier, other, 0);
    assertThat(demoted).isEmpty();
    ask(verifier, member, 32);
    assertThat(demoted).containsExactly(member.classState());
    assertThat(log.warnings()).hasSize(1);
  }

  @Test
  void aConfirmedDifferenceDemotesTheClass() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new ScriptedHit(32), 0);
    verifier.onClientAvailable(one, evidence -> new ScriptedHit(32)); // nobody else was asked yet
    assertDemotedAfterSettling(verifier);
  }

  @Test
  void theLogNamesTheClassTheMembersAndTheirAnswers() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new ScriptedHit(32), 0);
    assertDemotedAfterSettling(verifier);
    assertThat(log.warnings().get(0))
        .contains("sharing class apps demoted", "cn=one gets another answer upstream than cn=two")
        .contains("result 32 with 0 entries against result 0 with 0 entries");
  }

  @Test
  void theLogNamesTheAccountOfTheFeed() {
    hit(verifier(1), one, ofFeed(false), 0);
    assertThat(log.warnings().get(0)).contains("than the account of the feed");
  }

  /** Each of them may be asked of a server that lags behind the other's. */
  @Test
  void noDifferenceWithinTheSettleTimeCounts() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new ScriptedHit(32), 0);
    for (int time = 0; time < MANY; time++) {
      verifier.onClientAvailable(two, evidence -> new ScriptedHit(0));
      verifier.onClientAvailable(one, evidence -> new ScriptedHit(32));
      now += SETTLE.toNanos() / MANY - 1;
    }
    assertThat(one.isSuspended()).isTrue();
    assertThat(demoted).isEmpty();
    now += SETTLE.toNanos();
    verifier.onClientAvailable(one, evidence -> new ScriptedHit(0));
    assertThat(one.isSuspended()).isFalse();
  }

  /** I10: that all members are told the same says nothing for what the feed tells. */
  @Test
  void aFeedUpdateThatNoMemberSeesDemotesTheClass() {
    Verifier verifier = verifier(1);
    ScriptedHit upstream = new ScriptedHit(32);
    upstream.ofFeed = true;
    hit(verifier, one, upstream, 0);
    now += SETTLE.toNanos() - 1;
    verifier.onClientAvailable(one, evidence -> new ScriptedHit(32));
    verifier.onClientAvailable(two, evidence -> new ScriptedHit(32));
    assertThat(one.isSuspended()).isTrue();
    assertThat(demoted).isEmpty();
    now++;
    verifier.onClientAvailable(two, evidence -> new ScriptedHit(32));
    assertThat(demoted).isEmpty();
    verifier.onClientAvailable(one, evidence -> new ScriptedHit(32));
    assertThat(demoted).containsExactly(declared);
    assertThat(log.warnings()).hasSize(1);
  }

  private static ScriptedHit ofFeed(Boolean alike) {
    ScriptedHit upstream = new ScriptedHit(32);
    upstream.ofFeed = true;
    upstream.alike = alike;
    return upstream;
  }

  /** Nobody waits for a moment in which it does not change. */
  @Test
  void anEntryThatOnlyTheFeedSeesDemotesTheClassAtOnce() {
    Verifier verifier = verifier(1);
    ScriptedHit upstream = ofFeed(false);
    hit(verifier, one, upstream, 0);
    assertThat(demoted).containsExactly(declared);
    assertThat(upstream.forgotten).isTrue();
    assertThat(upstream.compared).isEqualTo(2);
    assertThat(log.warnings()).hasSize(1);
  }

  /** The rights have changed, for the account of the feed, too. */
  @Test
  void anEntryThatTheFeedDoesNotSeeEitherIsHeldAgainstNoMember() {
    Verifier verifier = verifier(1);
    ScriptedHit upstream = ofFeed(true);
    hit(verifier, one, upstream, 0);
    assertThat(upstream.forgotten).isTrue();
    assertThat(one.isSuspended()).isFalse();
    assertThat(demoted).isEmpty();
  }

  @Test
  void aDifferenceInTimeIsExcusedHoweverOften() {
    Verifier verifier = verifier(1);
    ScriptedHit upstream = ofFeed(true);
    for (int time = 0; time < MANY; time++) {
      hit(verifier, one, upstream, 0);
      assertThat(one.isSuspended()).isFalse();
    }
    assertThat(demoted).isEmpty();
  }

  /** It was not given to the member yet. */
  @Test
  void anAuditMismatchIsInvestigated() {
    Verifier verifier = verifier(1);
    verifier.onAuditMismatch(one, shared(32));
    assertThat(one.isSuspended()).isTrue();
    assertDemotedAfterSettling(verifier);
  }

  @Test
  void anAuditMismatchThatIsGoneIsNotInvestigated() {
    Verifier verifier = verifier(1);
    verifier.onAuditMismatch(one, shared(0));
    assertThat(one.isSuspended()).isFalse();
    assertThat(declared.status(0).differences()).isZero();
  }

  @Test
  void aLaggingServerDemotesNothing() {
    Verifier verifier = verifier(1);
    ScriptedHit upstream = new ScriptedHit(32);
    upstream.ofFeed = true;
    hit(verifier, one, upstream, 0);
    now += SETTLE.toNanos();
    verifier.onClientAvailable(one, evidence -> new ScriptedHit(0));
    assertThat(one.isSuspended()).isFalse();
    assertThat(demoted).isEmpty();
  }

  @Test
  void aDifferenceInTimeDemotesNothing() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new ScriptedHit(32), 0);
    now += SETTLE.toNanos();
    verifier.onClientAvailable(
        two, evidence -> new ScriptedHit(32)); // it was deleted, and memory had it still
    assertThat(one.isSuspended()).isFalse();
    assertThat(one.isOnProbation(0)).isTrue();
    assertThat(demoted).isEmpty();
    assertThat(declared.status(0).suspended()).isZero();
  }

  /** Its load alone demotes no class: each difference is explained by what another one is told. */
  @Test
  void anExplainedDifferenceIsExcusedUnderAnyLoad() {
    Verifier verifier = verifier(1);
    for (int time = 0; time < MANY; time++) {
      ScriptedHit upstream = new ScriptedHit(32);
      upstream.readers = Set.of(two);
      hit(verifier, one, upstream, 0);
      assertThat(verifier.mayShare(one)).isFalse();
      verifier.onClientAvailable(two, evidence -> new ScriptedHit(32));
      assertThat(verifier.mayShare(one)).isTrue();
      assertThat(verifier.mayShare(two)).isTrue();
    }
    assertThat(demoted).isEmpty();
  }

  private static final long AWAY_NANOS = MismatchInvestigation.AWAY_FACTOR * SETTLE.toNanos();

  /** That they agree says nothing of who has read it and is away: that one is asked itself. */
  @Test
  void anyMemberClearsADeviatorWhoseReaderIsAway() {
    Verifier verifier = afterHitOfAnotherReader();
    ClassMember like = join(declared, Octets.ofUtf8("cn=like"));
    verifier.onClientAvailable(like, evidence -> new ScriptedHit(32));
    now += AWAY_NANOS - 1;
    verifier.onClientAvailable(like, evidence -> new ScriptedHit(32));
    assertThat(verifier.mayShare(two)).as("the reader may return").isFalse();
    now++;
    verifier.onClientAvailable(like, evidence -> new ScriptedHit(32));
    verifier.onClientAvailable(like, evidence -> new ScriptedHit(32));
    assertThat(verifier.mayShare(two)).isTrue();
    assertThat(verifier.mayShare(one)).isFalse();
    verifier.onClientAvailable(one, evidence -> new ScriptedHit(32));
    verifier.onClientAvailable(like, evidence -> new ScriptedHit(32));
    assertThat(verifier.mayShare(one)).isTrue();
    assertThat(demoted).isEmpty();
  }

  /** While one event loop replaces the investigation, another one may serve the member. */
  @Test
  void noMemberSharesWhileItsInvestigationIsReplaced() {
    List<Boolean> suspended = new ArrayList<>();
    boolean[] watched = {false};
    Verifier verifier =
        new Verifier(
            ONE_IN,
            demoted::add,
            n -> false,
            () -> {
              if (watched[0]) {
                suspended.add(one.isSuspended() && two.isSuspended());
              }
              return now;
            });
    verifier.setMaxLag(SETTLE);
    hitOfAnotherReader(verifier);
    now += AWAY_NANOS;
    watched[0] = true;
    ask(verifier, join(declared, Octets.ofUtf8("cn=third")), 5);
    assertThat(declared.investigations()).hasSize(2);
    assertThat(suspended).isNotEmpty().doesNotContain(false);
  }

  /** Another event loop sees the same investigation before it is replaced. */
  @Test
  void anInvestigationIsReplacedOnce() {
    ClassMember third = join(declared, Octets.ofUtf8("cn=third"));
    Runnable[] meanwhile = {() -> {}};
    Verifier verifier =
        new Verifier(
            ONE_IN,
            demoted::add,
            n -> false,
            () -> {
              meanwhile[0].run();
              return now;
            });
    verifier.setMaxLag(SETTLE);
    hitOfAnotherReader(verifier);
    now += AWAY_NANOS;
    int[] reads = {0};
    meanwhile[0] =
        () -> {
          if (++reads[0] == 3) {
            ask(verifier, third, 5);
          }
        };
    ask(verifier, third, 5);
    assertThat(reads[0]).isGreaterThan(3);
    assertThat(declared.investigations()).hasSize(2);
  }

  /** Each step of a search through the open investigations sees one of them. */
  @Test
  void aReplacedInvestigationIsNeverMissed() throws Exception {
    AtomicReference<MismatchInvestigation> open = new AtomicReference<>();
    open.set(new MismatchInvestigation(one, new ScriptedHit(), false, 1, 0));
    declared.open(open.get());
    AtomicBoolean ended = new AtomicBoolean();
    Thread replacing =
        new Thread(
            () -> {
              for (int time = 0; time < 100_000; time++) {
                MismatchInvestigation next =
                    new MismatchInvestigation(one, new ScriptedHit(), false, 1, 0);
                declared.replace(open.getAndSet(next), List.of(next));
              }
              ended.set(true);
            });
    replacing.start();
    boolean always = true;
    while (!ended.get()) {
      always &= one.isSuspended();
    }
    replacing.join();
    assertThat(always).isTrue();
  }

  /** An administrator has restored the class, or a re-read has explained the difference. */
  @Test
  void aLateAnswerDemotesNothing() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new ScriptedHit(32), 0);
    ask(verifier, two, 0);
    now += SETTLE.toNanos();
    ask(verifier, one, 32);
    ask(verifier, two, 0);
    ScriptedHit late = new ScriptedHit(32);
    late.silent = true;
    verifier.onClientAvailable(one, evidence -> late);
    declared.demote();
    declared.restore();
    late.waiting.accept(ScriptedHit.answer(32));
    assertThat(declared.isDemoted()).isFalse();
    assertThat(demoted).isEmpty();
  }

  @Test
  void aLateComparisonWithTheFeedDemotesNothing() {
    Verifier verifier = verifier(1);
    List<Consumer<Boolean>> comparisons = new ArrayList<>();
    ScriptedHit upstream =
        new ScriptedHit(32) {
          @Override
          public void compareWithFeed(ComparableAnswer told, Consumer<Boolean> heard) {
            comparisons.add(heard);
          }
        };
    upstream.ofFeed = true;
    hit(verifier, one, upstream, 0);
    declared.demote();
    declared.restore();
    for (int turn = 0; turn < comparisons.size(); turn++) {
      comparisons.get(turn).accept(false);
    }
    assertThat(comparisons).hasSize(2);
    assertThat(declared.isDemoted()).isFalse();
    assertThat(demoted).isEmpty();
  }

  /** In a uniform class the feed sees what members are given, whoever has read it. */
  private SharingClassState readInUniformClass(Boolean alike) {
    Verifier verifier = verifier(1);
    SharingClassState uniform = declared(true);
    ClassMember reader = join(uniform, Octets.ofUtf8("cn=reader"));
    ClassMember other = join(uniform, Octets.ofUtf8("cn=other"));
    ScriptedHit upstream = new ScriptedHit(32);
    upstream.alike = alike;
    upstream.readers = Set.of(reader);
    hit(verifier, other, upstream, 0);
    assertThat(upstream.forgotten).isTrue();
    return uniform;
  }

  @Test
  void anEntryThatTheFeedDoesNotSeeIsHeldAgainstItsReader() {
    SharingClassState uniform = readInUniformClass(true);
    assertThat(uniform.isSuspended(person("cn=other"))).isFalse();
    assertThat(uniform.isSuspended(person("cn=reader"))).isTrue();
    assertThat(demoted).isEmpty();
  }

  @Test
  void anEntryThatTheFeedSeesDemotesAUniformClass() {
    assertThat(demoted).isEmpty();
    SharingClassState uniform = readInUniformClass(false);
    assertThat(demoted).containsExactly(uniform);
    assertThat(log.warnings()).hasSize(1);
  }

  @Test
  void anUndecidedFeedLeadsToAnInvestigation() {
    SharingClassState uniform = readInUniformClass(null);
    assertThat(uniform.isSuspended(person("cn=other"))).isTrue();
    assertThat(uniform.isSuspended(person("cn=reader"))).isTrue();
    assertThat(demoted).isEmpty();
  }

  /** It is read anew whether the feed's account is still given more. */
  @Test
  void anEntryThatTheFeedSeesNoMoreIsHeldAgainstNoMember() {
    Verifier verifier = verifier(1);
    hit(verifier, one, ofFeed(null), 0);
    assertThat(verifier.mayShare(one)).isFalse();
    now += SETTLE.toNanos();
    verifier.onClientAvailable(one, evidence -> ofFeed(true));
    assertThat(verifier.mayShare(one)).isTrue();
    assertThat(demoted).isEmpty();
  }

  @Test
  void aChangingAnswerIsComparedAgain() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new ScriptedHit(1), 0);
    for (int code = 2; code < 40; code += 2) {
      int before = code;
      now += SETTLE.toNanos();
      verifier.onClientAvailable(two, evidence -> new ScriptedHit(before));
      now += SETTLE.toNanos();
      verifier.onClientAvailable(one, evidence -> new ScriptedHit(before + 1));
      assertThat(one.isSuspended()).isTrue();
    }
    assertThat(demoted).isEmpty();
    now += SETTLE.toNanos();
    verifier.onClientAvailable(two, evidence -> new ScriptedHit(39));
    assertThat(one.isSuspended()).isFalse();
  }

  /** It would acquit itself. */
  @Test
  void anotherSpellingIsNoWitness() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new ScriptedHit(32), 0);
    ClassMember again = declared.join(Octets.ofUtf8("CN=one"), one.canonical());
    verifier.onClientAvailable(again, evidence -> new ScriptedHit(32));
    assertThat(verifier.mayShare(one)).isFalse();
    assertThat(verifier.mayShare(again)).isFalse();
    ask(verifier, two, 0);
    now += SETTLE.toNanos();
    ask(verifier, again, 32);
    ask(verifier, two, 0);
    ask(verifier, again, 32);
    assertThat(demoted).containsExactly(declared);
    assertThat(log.warnings()).hasSize(1);
  }

  /** Rights that change in between may have been changed back. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aDifferenceAcrossAChangeOfRightsCountsTheThirdTime(int last) {
    long[] changes = {0};
    Verifier verifier = verifier(1);
    verifier.setRightsChanges(() -> changes[0]);
    hit(verifier, one, new ScriptedHit(32), 0);
    ask(verifier, two, 0);
    for (int attempt = 1; attempt <= last; attempt++) {
      assertThat(demoted).isEmpty();
      now += SETTLE.toNanos();
      ask(verifier, one, 32);
      ask(verifier, two, 0);
      changes[0] += attempt < last || last == 3 ? 1 : 0;
      ask(verifier, one, 32);
    }
    assertThat(demoted).containsExactly(declared);
    assertThat(log.warnings()).hasSize(1);
  }

  /** I11: all members are given more by turns, and each is asked when that has changed. */
  @Test
  void changesOfRightsOfAllDemoteNothing() {
    long[] changes = {0};
    Verifier verifier = verifier(1);
    verifier.setRightsChanges(() -> changes[0]);
    hit(verifier, one, new ScriptedHit(32), 0);
    for (int attempt = 0; attempt < 2; attempt++) {
      changes[0]++;
      ask(verifier, two, 0);
      changes[0]++;
      now += SETTLE.toNanos();
      ask(verifier, one, 32);
    }
    now += SETTLE.toNanos();
    ask(verifier, one, 32);
    ask(verifier, two, 32);
    assertThat(one.isSuspended() || declared.isDemoted()).isFalse();
  }

  @Test
  void aDifferenceThatAChangeOfRightsEndsDemotesNothing() {
    long[] changes = {0};
    Verifier verifier = verifier(1);
    verifier.setRightsChanges(() -> changes[0]);
    hit(verifier, one, new ScriptedHit(32), 0);
    verifier.onClientAvailable(two, evidence -> new ScriptedHit(0));
    changes[0]++;
    now += SETTLE.toNanos();
    verifier.onClientAvailable(one, evidence -> new ScriptedHit(32));
    verifier.onClientAvailable(two, evidence -> new ScriptedHit(32));
    assertThat(one.isSuspended() || declared.isDemoted()).isFalse();
  }

  /** As a group may have a member, and have it no more. */
  @Test
  void aChangeTakenBackDemotesNothing() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new ScriptedHit(32), 0);
    verifier.onClientAvailable(two, evidence -> new ScriptedHit(0));
    now += SETTLE.toNanos();
    verifier.onClientAvailable(one, evidence -> new ScriptedHit(0));
    assertThat(one.isSuspended() || declared.isDemoted()).isFalse();
  }

  @Test
  void aMemberOfAnotherKindIsNoWitness() {
    Verifier verifier = verifier(1);
    ClassMember elsewhere = join(declared, Octets.ofUtf8("cn=three"), Octets.ofUtf8("from"));
    hit(verifier, one, new ScriptedHit(32), 0);
    now += SETTLE.toNanos();
    now += SETTLE.toNanos();
    verifier.onClientAvailable(elsewhere, evidence -> new ScriptedHit(32));
    assertThat(one.isSuspended()).isTrue();
  }

  @Test
  void differencesExplainedByOthersAreExcusedHoweverOften() {
    Verifier verifier = verifier(1);
    for (int time = 0; time < MANY; time++) {
      hit(verifier, one, new ScriptedHit(32), 0);
      assertThat(verifier.mayShare(one)).isFalse();
      verifier.onClientAvailable(two, evidence -> new ScriptedHit(32));
      assertThat(verifier.mayShare(one)).isTrue();
    }
    assertThat(demoted).isEmpty();
  }

  @Test
  void aFailedInvestigationStepIsRepeated() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new ScriptedHit(32), 0);
    now += SETTLE.toNanos();
    for (Failing.At at : List.of(Failing.At.LATER, Failing.At.ASK)) {
      assertThatThrownBy(() -> verifier.onClientAvailable(two, evidence -> new Failing(at).copy()))
          .isInstanceOf(IllegalStateException.class);
    }
    verifier.onClientAvailable(two, evidence -> new ScriptedHit(32));
    assertThat(one.isSuspended()).isFalse();
  }

  /** The second is given what was read as the first, who sees more than all others. */
  private Verifier afterHitOfAnotherReader() {
    Verifier verifier = verifier(1);
    hitOfAnotherReader(verifier);
    return verifier;
  }

  private void hitOfAnotherReader(Verifier verifier) {
    ScriptedHit upstream = new ScriptedHit(32);
    upstream.readers = Set.of(one);
    hit(verifier, two, upstream, 0);
  }

  /** I11: a second account of either kind is there all the time, and quick. */
  @Test
  void thirdMembersClearNeitherOfTwoThatArePresent() {
    Verifier verifier = afterHitOfAnotherReader();
    ClassMember less = join(declared, Octets.ofUtf8("cn=less"));
    ClassMember more = join(declared, Octets.ofUtf8("cn=more"));
    for (int turn = 0; turn < 2; turn++) {
      ask(verifier, less, 32);
      ask(verifier, more, 0);
      ask(verifier, two, 32);
      ask(verifier, one, 0);
      assertThat(one.isSuspended() && two.isSuspended()).isTrue();
      now += SETTLE.toNanos();
    }
    assertThat(demoted).isEmpty();
    assertThat(declared.investigations())
        .flatMap(each -> each.suspended().toList())
        .containsExactly(two, one);
    ask(verifier, two, 32);
    assertThat(demoted).containsExactly(declared);
    assertThat(log.warnings()).hasSize(1);
  }

  @Test
  void aSecondMismatchOfAHeldMemberDropsItsAnswer() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new ScriptedHit(32), 0);
    ScriptedHit second = new ScriptedHit(32);
    hit(verifier, one, second, 0);
    assertThat(second.forgotten).isTrue();
  }

  /** In a uniform class the member is asked for the feed's sake, too. */
  @Test
  void anUndecidedFeedDelaysNoTurn() {
    Verifier verifier = verifier(1);
    SharingClassState uniform = declared(true);
    ClassMember member = join(uniform, Octets.ofUtf8("cn=member"));
    ClassMember other = join(uniform, Octets.ofUtf8("cn=other"));
    hit(verifier, member, new ScriptedHit(32), 0);
    assertDemotedAfterSettling(verifier, member, other);
  }

  /** I11: it is not the one that was given too much that deviates, whoever is asked first. */
  @Test
  void aMemberWithMoreRightsIsFoundWhenItReturns() {
    Verifier verifier = afterHitOfAnotherReader();
    assertThat(verifier.mayShare(one)).isFalse();
    ClassMember third = join(declared, Octets.ofUtf8("cn=three"));
    now += AWAY_NANOS;
    ask(verifier, third, 32);
    ask(verifier, third, 32);
    assertThat(verifier.mayShare(two)).isTrue();
    assertThat(verifier.mayShare(one)).as("a fill by the member does not clear it").isFalse();
    ask(verifier, one, 0);
    ask(verifier, third, 32);
    now += SETTLE.toNanos();
    ask(verifier, one, 0);
    ask(verifier, third, 32);
    assertThat(demoted).isEmpty();
    assertThat(declared.investigations())
        .flatMap(each -> each.suspended().toList())
        .containsExactly(one);
    ask(verifier, one, 0);
    assertThat(demoted).containsExactly(declared);
    assertThat(log.warnings()).hasSize(1);
  }

  @Test
  void aReaderThatAgreesWithTheDeviatorIsCleared() {
    Verifier verifier = afterHitOfAnotherReader();
    now += SETTLE.toNanos();
    verifier.onClientAvailable(
        one, evidence -> new ScriptedHit(32)); // it was deleted, and memory had it still
    assertThat(verifier.mayShare(one)).isTrue();
    assertThat(verifier.mayShare(two)).isTrue();
    assertThat(declared.status(0).suspended()).isZero();
    assertThat(declared.investigations()).isEmpty();
  }

  @Test
  void aReaderIsClearedWhenTheDeviatorAgreesAgain() {
    Verifier verifier = afterHitOfAnotherReader();
    ask(verifier, one, 5);
    assertThat(verifier.mayShare(one)).isFalse();
    now += SETTLE.toNanos();
    ask(verifier, two, 5);
    assertThat(declared.status(0).suspended()).isZero();
    assertThat(demoted).isEmpty();
  }

  /** Clients that have read something and gone for good are no reason to demote a class. */
  @Test
  void readersThatNeverReturnAreForgottenIfTooMany() {
    List<Long> suspended = new ArrayList<>();
    Verifier verifier =
        new Verifier(
            ONE_IN, each -> suspended.add(each.status(0).suspended()), n -> false, () -> now);
    verifier.setMaxLag(SETTLE);
    for (int number = 0; number <= 2 * SharingClassState.MAX_INVESTIGATIONS; number++) {
      ScriptedHit upstream = new ScriptedHit(32);
      upstream.readers = Set.of(join(declared, Octets.ofUtf8("cn=" + number)));
      ClassMember member = join(declared, Octets.ofUtf8("cn=to" + number));
      hit(verifier, member, upstream, 0);
      now += AWAY_NANOS;
      ask(verifier, two, 32);
      ask(verifier, two, 32);
      assertThat(verifier.mayShare(member)).isTrue();
    }
    assertThat(declared.isDemoted()).isFalse();
    assertThat(suspended).as("until all results are invalid").hasSize(2).containsOnly(65L);
    assertThat(declared.status(0).suspended())
        .isBetween(1L, (long) SharingClassState.MAX_INVESTIGATIONS);
  }

  /** There is a place for each of them only if nobody is given what was read as the others. */
  @Test
  void aForgottenReaderHasNoSharedResults() {
    ClassTable.Bounds bounds = new ClassTable.Bounds(true, 1000, 1_000_000);
    SharingConfig sharing = new SharingConfig(List.of(declared.declaration()), ONE_IN);
    ClassTable table = new ClassTable(bounds, sharing, System::nanoTime, new Random(7)::nextInt);
    table.setProfile(SmallDirectory.PROFILE);
    table.verifier().setMaxLag(SETTLE);
    Set<Octets> dropped = new HashSet<>();
    table.onDropped(dropped::addAll);
    SharingClass before = table.of(Octets.ofUtf8("cn=a"), -1, 0);
    ScriptedHit upstream = new ScriptedHit(32);
    upstream.readers = new HashSet<>();
    for (int number = 0; number <= SharingClassState.MAX_INVESTIGATIONS; number++) {
      Octets name = Octets.ofUtf8("cn=" + number);
      upstream.readers.add(join(before.member().classState(), name));
    }
    hit(table.verifier(), before.member(), upstream, 0);
    assertThat(dropped).containsExactly(before.partition());
    assertThat(before.member().classState().isDemoted()).isFalse();
  }

  /** I11: whoever has agreed a hundred times may be given less from then on. */
  @Test
  void aChangeOfRightsPutsAllMembersOnProbation() {
    long[] changes = {0};
    Verifier verifier = new Verifier(ONE_IN, demoted::add, n -> false, () -> now);
    verifier.setRightsChanges(() -> changes[0]);
    for (int hit = 0; hit < 2 * ClassMember.PROBATION; hit++) {
      hit(verifier, one, new ScriptedHit(0), 0);
    }
    assertThat(declared.status(0).samples()).isEqualTo(ClassMember.PROBATION);
    changes[0]++;
    for (int hit = 0; hit < 2 * ClassMember.PROBATION; hit++) {
      hit(verifier, one, new ScriptedHit(0), 0);
    }
    assertThat(declared.status(0).samples()).isEqualTo(2L * ClassMember.PROBATION);
    changes[0]++;
    hit(verifier, one, new ScriptedHit(32), 0);
    assertThat(one.isSuspended()).isTrue();
  }

  @Test
  void tooManyMembersThatDifferDemoteTheClass() {
    Verifier verifier = verifier(1);
    for (int number = 0; number <= SharingClassState.MAX_INVESTIGATIONS; number++) {
      assertThat(declared.isDemoted()).isFalse();
      ClassMember member = join(declared, Octets.ofUtf8("cn=" + number));
      hit(verifier, member, new ScriptedHit(32), 0);
    }
    assertThat(declared.isDemoted()).isTrue();
    assertThat(log.warnings()).hasSize(1);
  }

  @Test
  void namesInTheLogCannotBreakALine() {
    ClassMember odd = join(declared, Octets.of("cn=a\nINFO all is well".getBytes(UTF_8)));
    assertThat(odd.printableName()).isEqualTo("cn=a?INFO all is well");
  }
}
