// SPDX-License-Identifier: Apache-2.0
package io.stoa.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.access.AccessClass.Attributes;
import io.stoa.access.Evidence.Said;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.Octets;
import io.stoa.match.Answers;
import io.stoa.testing.ExpectedLog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which answers are verified, and what is made of it. */
class VerifierTest {
  private static final Duration SETTLE = Duration.ofSeconds(1);
  private static final int ONE_IN = 1000;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final Declared declared = declared();
  private final Member one = declared.join(Octets.ofUtf8("cn=one"), Octets.EMPTY);
  private final Member two = declared.join(Octets.ofUtf8("cn=two"), Octets.EMPTY);
  private final List<Declared> demoted = new ArrayList<>();
  private long now;

  private static Declared declared() {
    return new Declared(
        new Declaration("apps", List.of("cn=a"), List.of(), "dc=x", Attributes.ALL, false),
        () -> Octets.EMPTY);
  }

  private Verifier verifier(long seed) {
    Random random = new Random(seed);
    Verifier verifier = new Verifier(ONE_IN, demoted::add, n -> random.nextInt(n) == 0, () -> now);
    verifier.settle(SETTLE);
    return verifier;
  }

  private static Said said(int code) {
    return new Said(new Answers(code, Map.of(), 0), Octets.EMPTY);
  }

  /** What one client is told upstream, in that order; the last of it again and again. */
  private static class Script implements Evidence {
    private final Deque<Said> answers = new ArrayDeque<>();
    private boolean forgotten;
    private Consumer<Said> waiting;
    private boolean silent;
    private boolean changed;
    private Said given;
    private Set<Member> readers = Set.of();
    private boolean ofFeed;
    private Boolean alike;

    Script(int... codes) {
      for (int code : codes) {
        answers.add(said(code));
      }
    }

    @Override
    public Said given() {
      return given;
    }

    @Override
    public void later(Runnable action) {
      action.run();
    }

    @Override
    public void ask(Consumer<Said> told) {
      if (silent) {
        waiting = told;
      } else {
        told.accept(answers.size() > 1 ? answers.poll() : answers.peek());
      }
    }

    @Override
    public void awaitChange(long nanos, Consumer<Boolean> told) {
      assertThat(nanos).isEqualTo(SETTLE.toNanos());
      told.accept(changed);
    }

    @Override
    public Set<Member> readAs(Said told) {
      return readers;
    }

    @Override
    public boolean isOfFeed(Said told) {
      return ofFeed;
    }

    @Override
    public void compareWithFeed(Said told, Consumer<Boolean> heard) {
      heard.accept(alike);
    }

    @Override
    public void forget() {
      forgotten = true;
    }
  }

  private void hit(Verifier verifier, Member member, Script evidence, int given) {
    evidence.given = said(given);
    try {
      verifier.given(member, () -> evidence);
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theFirstHundredHitsOfAMemberAreVerifiedAndThenOneInSoMany() {
    Verifier verifier = verifier(1);
    Script upstream = new Script(0);
    for (int hit = 0; hit < Member.PROBATION; hit++) {
      hit(verifier, one, upstream, 0);
    }
    assertThat(declared.status(0).samples()).isEqualTo(Member.PROBATION);
    for (int hit = 0; hit < 100 * ONE_IN; hit++) {
      hit(verifier, one, upstream, 0);
    }
    assertThat(declared.status(0).samples() - Member.PROBATION).isBetween(60L, 140L);
    assertThat(declared.status(0).differences()).isZero();
    assertThat(one.isHeld()).isFalse();
  }

  /** I11: whenever it begins, it is seen within the reciprocal of the rate, as a rule. */
  @Test
  void aMemberThatBeginsToDeviateIsHeldWithinTheReciprocalOfTheRate() {
    long hits = 0;
    int seeds = 400;
    for (int seed = 0; seed < seeds; seed++) {
      Verifier verifier = verifier(seed);
      Member member = declared().join(Octets.ofUtf8("cn=" + seed), Octets.EMPTY);
      for (int hit = 0; hit < Member.PROBATION; hit++) {
        hit(verifier, member, new Script(0), 0);
      }
      while (!member.isHeld()) {
        hit(verifier, member, new Script(32), 0);
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
    Script upstream = new Script(32);
    hit(verifier, one, upstream, 0);
    assertThat(one.isHeld()).isTrue();
    assertThat(verifier.mayShare(one)).isFalse();
    assertThat(upstream.forgotten).isTrue();
    assertThat(declared.isDemoted()).isFalse();
    assertThat(verifier.mayShare(two)).isTrue();
  }

  @Test
  void aDifferenceThatIsThereBeforeAndAfterAnotherWasAskedDemotesTheClass() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new Script(32), 0);
    verifier.passing(one, evidence -> new Script(32)); // nobody else was asked yet
    verifier.passing(two, evidence -> new Script(0));
    verifier.passing(one, evidence -> new Script(32)); // too early
    assertThat(declared.isDemoted()).isFalse();
    now += SETTLE.toNanos();
    verifier.passing(one, evidence -> new Script(32));
    assertThat(demoted).containsExactly(declared);
    assertThat(log.warnings()).hasSize(1);
    assertThat(log.warnings().get(0)).contains("apps", "cn=one");
  }

  /** I10: that all members are told the same says nothing for what the feed tells. */
  @Test
  void whatOnlyTheFeedTellsDemotesTheClassThoughMembersAreToldTheSame() {
    Verifier verifier = verifier(1);
    Script upstream = new Script(32);
    upstream.ofFeed = true;
    hit(verifier, one, upstream, 0);
    now += SETTLE.toNanos() - 1;
    verifier.passing(one, evidence -> new Script(32));
    verifier.passing(two, evidence -> new Script(32));
    assertThat(one.isHeld()).isTrue();
    assertThat(demoted).isEmpty();
    now++;
    verifier.passing(two, evidence -> new Script(32));
    assertThat(demoted).isEmpty();
    verifier.passing(one, evidence -> new Script(32));
    assertThat(demoted).containsExactly(declared);
    assertThat(log.warnings().get(0)).contains("than the feed tells");
  }

  private static Script ofFeed(Boolean alike) {
    Script upstream = new Script(32);
    upstream.ofFeed = true;
    upstream.alike = alike;
    return upstream;
  }

  /** Nobody waits for a moment in which it does not change. */
  @Test
  void whatTheAccountOfTheFeedIsGivenAndTheMemberIsNotDemotesTheClassAtOnce() {
    Verifier verifier = verifier(1);
    Script upstream = ofFeed(false);
    upstream.changed = true;
    hit(verifier, one, upstream, 0);
    assertThat(demoted).containsExactly(declared);
    assertThat(upstream.forgotten).isTrue();
    assertThat(log.warnings().get(0)).contains("than the feed tells");
  }

  /** The rights have changed, for the account of the feed, too. */
  @Test
  void whatTheAccountOfTheFeedIsNotGivenEitherIsHeldAgainstNobody() {
    Verifier verifier = verifier(1);
    Script upstream = ofFeed(true);
    hit(verifier, one, upstream, 0);
    assertThat(upstream.forgotten).isTrue();
    assertThat(one.isHeld()).isFalse();
    assertThat(demoted).isEmpty();
  }

  @Test
  void whatIsProvedToBeAMatterOfTimeIsSoHoweverOften() {
    Verifier verifier = verifier(1);
    Script upstream = ofFeed(true);
    upstream.changed = true;
    for (int time = 0; time < 3 * Member.MOST_DIFFERENCES; time++) {
      hit(verifier, one, upstream, 0);
      assertThat(one.isHeld()).isFalse();
    }
    assertThat(upstream.forgotten).isFalse();
    assertThat(demoted).isEmpty();
  }

  private static Script shared(int... codes) {
    Script evidence = new Script(codes);
    evidence.given = said(0);
    evidence.changed = true; // it has been dropped since
    return evidence;
  }

  /** It was not given to the member yet. */
  @Test
  void whatIsSeenToBeWrongForAMemberIsLookedInto() {
    Verifier verifier = verifier(1);
    verifier.doubted(one, shared(32));
    assertThat(one.isHeld()).isTrue();
    verifier.passing(two, evidence -> new Script(0));
    now += SETTLE.toNanos();
    verifier.passing(one, evidence -> new Script(32));
    assertThat(demoted).containsExactly(declared);
    assertThat(log.warnings()).hasSize(1);
  }

  @Test
  void whatIsRightForAMemberWhenItIsAskedIsNot() {
    Verifier verifier = verifier(1);
    verifier.doubted(one, shared(0));
    assertThat(one.isHeld()).isFalse();
    assertThat(declared.status(0).differences()).isZero();
  }

  @Test
  void whatTheFeedHasToldEarlierThanAServerDoesNot() {
    Verifier verifier = verifier(1);
    Script upstream = new Script(32);
    upstream.ofFeed = true;
    hit(verifier, one, upstream, 0);
    now += SETTLE.toNanos();
    verifier.passing(one, evidence -> new Script(0));
    assertThat(one.isHeld()).isFalse();
    assertThat(demoted).isEmpty();
  }

  @Test
  void aDifferenceThatIsAMatterOfTimeDoesNot() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new Script(32), 0);
    verifier.passing(two, evidence -> new Script(32)); // it was deleted, and memory had it still
    assertThat(one.isHeld()).isFalse();
    assertThat(one.onProbation()).isTrue();
    assertThat(demoted).isEmpty();
    assertThat(declared.status(0).held()).isZero();
  }

  /** That excuses a few differences, and not many in a row. */
  @Test
  void whatAFeedTellsOfMeanwhileMakesNobodySuspicious() {
    Verifier verifier = verifier(1);
    Script upstream = new Script(32);
    upstream.changed = true;
    for (int time = 0; time < Member.MOST_DIFFERENCES; time++) {
      hit(verifier, one, upstream, 0);
      assertThat(one.isHeld()).isFalse();
      assertThat(upstream.forgotten).isFalse();
    }
    assertThat(declared.isDemoted()).isFalse();
    hit(verifier, one, upstream, 0);
    assertThat(declared.isDemoted()).isTrue();
    assertThat(upstream.forgotten).isTrue();
  }

  @Test
  void asLongAsItChangesItIsLookedAgain() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new Script(1), 0);
    for (int code = 2; code < 40; code += 2) {
      int before = code;
      verifier.passing(two, evidence -> new Script(before));
      now += SETTLE.toNanos();
      verifier.passing(one, evidence -> new Script(before + 1));
      assertThat(one.isHeld()).isTrue();
    }
    assertThat(demoted).isEmpty();
    verifier.passing(two, evidence -> new Script(39));
    assertThat(one.isHeld()).isFalse();
  }

  @Test
  void oneThatTheDirectoryKnowsInAnotherMannerIsNoWitness() {
    Verifier verifier = verifier(1);
    Member elsewhere = declared.join(Octets.ofUtf8("cn=three"), Octets.ofUtf8("from"));
    hit(verifier, one, new Script(32), 0);
    verifier.passing(elsewhere, evidence -> new Script(32));
    assertThat(one.isHeld()).isTrue();
  }

  @Test
  void differencesThatAreExplainedTooOftenAreNot() {
    Verifier verifier = verifier(1);
    for (int time = 0; time <= Member.MOST_DIFFERENCES; time++) {
      assertThat(declared.isDemoted()).isFalse();
      hit(verifier, one, new Script(32), 0);
      verifier.passing(two, evidence -> new Script(32));
    }
    assertThat(declared.isDemoted()).isTrue();
    assertThat(log.warnings()).hasSize(1);
  }

  /** A new member that asks for much at once shares no more than can be verified. */
  @Test
  void onProbationNothingIsSharedThatCannotBeVerified() {
    Verifier verifier = verifier(1);
    Script upstream = new Script(0);
    upstream.silent = true;
    int shared = 0;
    while (verifier.mayShare(one)) {
      hit(verifier, one, upstream, 0);
      shared++;
    }
    assertThat(shared).isEqualTo(Verifier.SLOTS);
    upstream.waiting.accept(null); // no answer came: it is not verified, and its place is free
    assertThat(verifier.mayShare(one)).isTrue();
    assertThat(declared.status(0).samples()).isZero();
  }

  /** Whose clients are gone when they have their answer, and so cannot be asked for. */
  @Test
  void aMemberWhoseFirstHitsCannotBeVerifiedSharesNothing() {
    Verifier verifier = verifier(1);
    Script upstream = new Script();
    for (int hit = 0; hit < Member.MOST_UNANSWERED; hit++) {
      assertThat(verifier.mayShare(one)).isTrue();
      hit(verifier, one, upstream, 0);
    }
    assertThat(verifier.mayShare(one)).isFalse();
    assertThat(verifier.mayShare(two)).isTrue();
    now += TimeUnit.MINUTES.toNanos(1); // the directory may have been out of reach
    assertThat(verifier.mayShare(one)).isTrue();
    hit(verifier, one, upstream, 0);
    assertThat(verifier.mayShare(one)).isFalse();
  }

  /** Whatever goes wrong when a hit is to be asked again: the next ones are. */
  @ParameterizedTest
  @EnumSource(Failing.At.class)
  void whatCannotBeAskedKeepsNobodyFromBeingVerified(Failing.At at) {
    Verifier verifier = verifier(1);
    for (int hit = 0; hit < 2 * Verifier.SLOTS; hit++) {
      Member member = declared.join(Octets.ofUtf8("cn=" + hit), Octets.EMPTY);
      assertThatThrownBy(() -> verifier.given(member, new Failing(at)))
          .isInstanceOf(IllegalStateException.class);
    }
    hit(verifier, one, new Script(0), 0);
    assertThat(declared.status(0).samples()).isEqualTo(1);
  }

  @Test
  void whatCannotBeAskedOfASuspicionIsAskedAgain() {
    Verifier verifier = verifier(1);
    hit(verifier, one, new Script(32), 0);
    for (Failing.At at : List.of(Failing.At.LATER, Failing.At.ASK)) {
      assertThatThrownBy(() -> verifier.passing(two, evidence -> new Failing(at).take()))
          .isInstanceOf(IllegalStateException.class);
    }
    verifier.passing(two, evidence -> new Script(32));
    assertThat(one.isHeld()).isFalse();
  }

  /** Evidence that is of no use. */
  private record Failing(At at) implements Evidence.Source {
    private enum At {
      TAKE,
      LATER,
      ASK
    }

    @Override
    public Evidence take() {
      failAt(At.TAKE);
      return new Script(0) {
        @Override
        public void later(Runnable action) {
          failAt(At.LATER);
          super.later(action);
        }

        @Override
        public void ask(Consumer<Said> told) {
          failAt(At.ASK);
        }
      };
    }

    private void failAt(At now) {
      if (now == at) {
        throw new IllegalStateException("as it was to");
      }
    }
  }

  /** The second is given what was read as the first, who sees more than all others. */
  private Verifier givenWhatAnotherSees() {
    Verifier verifier = verifier(1);
    Script upstream = new Script(32);
    upstream.readers = Set.of(one);
    hit(verifier, two, upstream, 0);
    return verifier;
  }

  /** I11: it is not the one that was given too much that deviates, whoever is asked first. */
  @Test
  void whoSeesMoreIsFoundWhenItsAnswersAreGivenThoughOthersAreToldTheSame() {
    Verifier verifier = givenWhatAnotherSees();
    assertThat(verifier.mayShare(one)).isFalse();
    Member third = declared.join(Octets.ofUtf8("cn=three"), Octets.EMPTY);
    verifier.passing(third, evidence -> new Script(32));
    assertThat(verifier.mayShare(two)).isTrue();
    assertThat(verifier.mayShare(one)).as("who has filled it is not acquitted by that").isFalse();
    verifier.passing(one, evidence -> new Script(0));
    verifier.passing(third, evidence -> new Script(32));
    now += SETTLE.toNanos();
    verifier.passing(one, evidence -> new Script(0));
    assertThat(demoted).containsExactly(declared);
    assertThat(log.warnings()).hasSize(1);
    assertThat(log.warnings().get(0)).contains("apps", "cn=one");
  }

  /** Two may see more: that they are told the same does not acquit them. */
  @Test
  void whoIsToldTheSameAsItsLikeIsNotAcquitted() {
    Verifier verifier = givenWhatAnotherSees();
    Member like = declared.join(Octets.ofUtf8("cn=like"), Octets.EMPTY);
    Member third = declared.join(Octets.ofUtf8("cn=three"), Octets.EMPTY);
    verifier.passing(third, evidence -> new Script(32));
    verifier.passing(one, evidence -> new Script(0));
    verifier.passing(like, evidence -> new Script(0));
    assertThat(verifier.mayShare(one)).isFalse();
    verifier.passing(two, evidence -> new Script(32));
    now += SETTLE.toNanos();
    verifier.passing(one, evidence -> new Script(0));
    assertThat(demoted).containsExactly(declared);
    assertThat(log.warnings()).hasSize(1);
  }

  @Test
  void aReaderThatIsToldTheSameAsTheOneThatDifferedSharesAgain() {
    Verifier verifier = givenWhatAnotherSees();
    verifier.passing(one, evidence -> new Script(32)); // it was deleted, and memory had it still
    assertThat(verifier.mayShare(one)).isTrue();
    assertThat(verifier.mayShare(two)).isTrue();
    assertThat(declared.status(0).held()).isZero();
    assertThat(declared.suspicions()).isEmpty();
  }

  @Test
  void aReaderForWhomItHasChangedOnceMoreSharesAgainAsSoonAsTheOtherIsToldSo() {
    Verifier verifier = givenWhatAnotherSees();
    verifier.passing(one, evidence -> new Script(5));
    assertThat(verifier.mayShare(one)).isFalse();
    verifier.passing(two, evidence -> new Script(5));
    now += SETTLE.toNanos();
    verifier.passing(two, evidence -> new Script(5));
    verifier.passing(one, evidence -> new Script(5));
    assertThat(declared.status(0).held()).isZero();
    assertThat(demoted).isEmpty();
  }

  /** In doubt it is the declaration that is wrong. */
  @Test
  void aDoubtThatIsNotRemovedDemotesTheClass() {
    Verifier verifier = givenWhatAnotherSees();
    verifier.passing(one, evidence -> new Script(0));
    now += Suspicion.MOST_DOUBT_NANOS;
    verifier.passing(one, evidence -> new Script(0));
    assertThat(demoted).isEmpty();
    now++;
    verifier.passing(one, evidence -> new Script(0));
    assertThat(demoted).containsExactly(declared);
    assertThat(log.warnings()).hasSize(1);
  }

  /** Clients that have read something and gone for good are no reason to demote a class. */
  @Test
  void readersThatNeverComeAgainAreForgottenWhenThereAreTooMany() {
    Verifier verifier = verifier(1);
    for (int number = 0; number < 2 * Declared.MOST_SUSPICIONS; number++) {
      Script upstream = new Script(32);
      upstream.readers = Set.of(declared.join(Octets.ofUtf8("cn=" + number), Octets.EMPTY));
      Member member = declared.join(Octets.ofUtf8("cn=to" + number), Octets.EMPTY);
      hit(verifier, member, upstream, 0);
      verifier.passing(two, evidence -> new Script(32));
      assertThat(verifier.mayShare(member)).isTrue();
    }
    assertThat(demoted).isEmpty();
    assertThat(declared.status(0).held()).isBetween(1L, (long) Declared.MOST_SUSPICIONS);
  }

  @Test
  void tooManyMembersThatDifferDemoteTheClass() {
    Verifier verifier = verifier(1);
    for (int number = 0; number <= Declared.MOST_SUSPICIONS; number++) {
      assertThat(declared.isDemoted()).isFalse();
      Member member = declared.join(Octets.ofUtf8("cn=" + number), Octets.EMPTY);
      hit(verifier, member, new Script(32), 0);
    }
    assertThat(declared.isDemoted()).isTrue();
    assertThat(log.warnings()).hasSize(1);
  }

  @Test
  void namesInTheLogCannotBreakALine() {
    Member odd = declared.join(Octets.of("cn=a\nINFO all is well".getBytes(UTF_8)), Octets.EMPTY);
    assertThat(odd.printableName()).isEqualTo("cn=a?INFO all is well");
  }
}
