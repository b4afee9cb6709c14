// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each checker finds what breaks its promise, and nothing that only nearly does. */
class CheckerTest {
  private static final int MISSING = 32;

  /** State 0 is there since ever, state 1 since 100, state 2 since 200. */
  private static final List<Map<String, String>> STATES =
      List.of(
          Map.of("a", "v0"),
          Map.of("a", "v1"),
          Map.of("a", "v2", "b", "v2"),
          Map.of("a", "v2", "b", "v2", "u", "undone"));

  /** From then on the last of the states is told of for a while, which never was. */
  private static final long UNDONE = 1_000;

  private static final Bounds AGE = Bounds.ofAge(50, false);
  private static final Bounds ALONE = Bounds.ofAge(1_000, true);
  private static final Bounds LONG = Bounds.ofAge(1_000, false);

  /** Who may be shown that state, and when. */
  private static final String FEED_READER = "told";

  private static final long ANNOUNCED = 2_000;

  private final Timeline timeline = new States();

  /** Shows everything to everybody. Immutable. */
  private static final class States implements Timeline {
    @Override
    public int at(long time) {
      return (int) Math.max(0, Math.min(2, time / 100));
    }

    @Override
    public int rules(long time) {
      return time < 100 ? 0 : 1;
    }

    @Override
    public int code(int state, int rules, Object question) {
      return 0;
    }

    @Override
    public Map<String, String> entries(int state, int rules, Object question) {
      return STATES.get(state);
    }

    @Override
    public String entry(int state, int rules, String dn, Object question) {
      return STATES.get(state).get(dn);
    }

    @Override
    public List<Integer> undone(String dn, long from, long until) {
      boolean told = dn.equals("u") && from <= UNDONE + 20 && until >= UNDONE;
      return told ? List.of(STATES.size() - 1) : List.of();
    }

    @Override
    public List<Integer> announced(Read read, String dn, int oldest) {
      boolean told = dn.equals("u") && read.session().equals(FEED_READER) && oldest <= 2;
      return told && read.invoked() == ANNOUNCED ? List.of(STATES.size() - 1) : List.of();
    }
  }

  private static Read read(String session, long invoked, int served, Map<String, String> entries) {
    return new Read(
        0, session, "all", "a", false, invoked, invoked, invoked + 10, served, 0, entries, null);
  }

  private static Read memory(long invoked, Map<String, String> entries) {
    return read("s", invoked, Read.MEMORY, entries);
  }

  private static Write write(String session, int state, long answered) {
    return new Write(session, List.of("a"), false, List.of(), state, answered, true);
  }

  private List<Violation> set(Bounds bounds, List<Write> writes, Read... reads) {
    return new SetChecker().check(new Recording(List.of(reads), writes), timeline, bounds);
  }

  private List<Violation> session(List<Write> writes, Read... reads) {
    return new SessionChecker().check(new Recording(List.of(reads), writes), timeline, LONG);
  }

  @Test
  void aStaleReadIsFound() {
    assertThat(set(AGE, List.of(), memory(149, STATES.get(0)))).isEmpty();
    assertThat(set(AGE, List.of(), memory(150, STATES.get(0)))).hasSize(1);
    assertThat(set(AGE, List.of(), memory(150, STATES.get(1)))).isEmpty();
  }

  @Test
  void aReadFromTheFutureIsFound() {
    assertThat(set(AGE, List.of(), memory(189, STATES.get(2)))).hasSize(1);
    assertThat(set(AGE, List.of(), memory(190, STATES.get(2)))).isEmpty();
  }

  @Test
  void missingAndExtraEntriesAreFound() {
    assertThat(set(AGE, List.of(), memory(300, Map.of("a", "v2")))).hasSize(1);
    assertThat(set(AGE, List.of(), memory(300, Map.of("a", "v2", "b", "v2", "c", "v2"))))
        .hasSize(1);
  }

  @Test
  void anotherResultCodeIsFound() {
    Read wrong =
        new Read(
            0, "s", "all", "a", false, 300, 300, 310, Read.MEMORY, MISSING, STATES.get(2), null);
    assertThat(set(AGE, List.of(), wrong)).hasSize(1);
  }

  @Test
  void aServerShowsWhatItHas() {
    assertThat(set(AGE, List.of(), read("s", 300, 0, STATES.get(0)))).isEmpty();
    assertThat(set(AGE, List.of(), read("s", 300, 0, STATES.get(1)))).hasSize(1);
  }

  /** Where there is one server, whoever asks after a write was answered is shown it. */
  @Test
  void onOneServerAnsweredWritesAreVisibleToAll() {
    List<Write> writes = List.of(write("other", 1, 120));
    assertThat(set(ALONE, writes, memory(120, STATES.get(0)))).isEmpty();
    assertThat(set(ALONE, writes, memory(121, STATES.get(0)))).hasSize(1);
    assertThat(set(LONG, writes, memory(121, STATES.get(0)))).isEmpty();
  }

  /**
   * What others have done to other entries before that it may lack, as long as the bound allows.
   */
  @Test
  void aLeasedReadShowsAnsweredWritesOfItsEntries() {
    Bounds fed = new Bounds(1_000, 900, 1_000, 1_000, true);
    List<Write> writes = List.of(new Write("other", List.of("b"), false, List.of(), 2, 220, true));
    Map<String, String> late = Map.of("a", "v1", "b", "v2");
    assertThat(set(fed, writes, answered(late, new Claim(150, true)))).isEmpty();
    assertThat(set(fed, writes, answered(late, null)))
        .as("the answer may be held by the feed")
        .isEmpty();
    assertThat(set(fed, writes, answered(late, new Claim(150, false)))).hasSize(1);
    assertThat(set(ALONE, writes, answered(late, null))).hasSize(1);
    assertThat(set(fed, writes, answered(STATES.get(1), new Claim(150, true))))
        .as("the answer lacks the write")
        .hasSize(1);
  }

  private static Read answered(Map<String, String> entries, @Nullable Claim claim) {
    return new Read(0, "s", "all", "a", false, 230, 230, 240, Read.MEMORY, 0, entries, claim);
  }

  @Test
  void aSessionReadsWhatItHasWritten() {
    List<Write> own = List.of(write("s", 1, 120));
    assertThat(session(own, memory(120, STATES.get(0)))).isEmpty();
    assertThat(session(own, memory(121, STATES.get(0)))).hasSize(1);
    assertThat(session(own, memory(121, STATES.get(1)))).isEmpty();
    assertThat(session(List.of(write("other", 1, 120)), memory(121, STATES.get(0)))).isEmpty();
  }

  @Test
  void aWriteOfUnknownOutcomeNeedNotBeVisible() {
    Write unsure = new Write("s", List.of("a"), false, List.of(), 1, 120, false);
    assertThat(session(List.of(unsure), memory(121, STATES.get(0)))).isEmpty();
  }

  @Test
  void aSessionReadsNothingOlderThanItHasRead() {
    Read newer = memory(200, STATES.get(1));
    Read older = memory(211, STATES.get(0));
    List<Write> writes = List.of(write("other", 1, 500));
    assertThat(session(writes, newer, older)).hasSize(1);
    assertThat(session(writes, newer, read("t", 211, Read.MEMORY, STATES.get(0)))).isEmpty();
    assertThat(session(List.of(), newer, older)).as("written round the proxy").isEmpty();
  }

  @Test
  void aRenameConcernsEverythingBelow() {
    Write write = new Write("s", List.of("ou=x"), true, List.of(), 1, 0, true);
    assertThat(write.concerns("ou=x", false)).isTrue();
    assertThat(write.concerns("cn=y,ou=x", false)).isTrue();
    assertThat(write.concerns("cn=you=x", false)).isFalse();
    Write flat = new Write("s", List.of("ou=x"), false, List.of(), 1, 0, true);
    assertThat(flat.concerns("cn=y,ou=x", false)).isFalse();
  }

  @Test
  void derivedChangesConcernReadsOfDerivedValues() {
    Write write = new Write("s", List.of("cn=group"), false, List.of("cn=member"), 1, 0, true);
    assertThat(write.concerns("cn=group", false)).isTrue();
    assertThat(write.concerns("cn=member", true)).isTrue();
    assertThat(write.concerns("cn=member", false)).isFalse();
  }

  @Test
  void anUndoneChangeMayBeVisibleForAWhile() {
    assertThat(set(AGE, List.of(), memory(UNDONE - 11, STATES.get(3)))).hasSize(1);
    assertThat(set(AGE, List.of(), memory(UNDONE - 10, STATES.get(3)))).isEmpty();
    assertThat(set(AGE, List.of(), memory(UNDONE + 70, STATES.get(3)))).isEmpty();
    assertThat(set(AGE, List.of(), memory(UNDONE + 71, STATES.get(3)))).hasSize(1);
  }

  @Test
  void anEarlyNoticeExplainsOnlyLeasedReadsOfItsReaders() {
    Bounds fed = new Bounds(50, 20, 50, 50, false);
    assertThat(set(fed, List.of(), announcedRead(FEED_READER, ANNOUNCED, true))).isEmpty();
    assertThat(set(fed, List.of(), announcedRead(FEED_READER, ANNOUNCED, false))).hasSize(1);
    assertThat(set(fed, List.of(), announcedRead(FEED_READER, ANNOUNCED + 1, true))).hasSize(1);
    assertThat(set(fed, List.of(), announcedRead("s", ANNOUNCED, true))).hasSize(1);
    assertThat(set(fed, List.of(), read(FEED_READER, ANNOUNCED, 2, STATES.get(3)))).hasSize(1);
  }

  private static Read announcedRead(String session, long invoked, boolean leased) {
    Claim claim = new Claim(invoked, leased);
    Map<String, String> shown = STATES.get(3);
    return new Read(
        0, session, "all", "a", false, invoked, invoked, invoked, Read.MEMORY, 0, shown, claim);
  }

  /** The rules change at 100; then "b" is hidden. */
  @Test
  void aLeakOfAHiddenEntryIsFound() {
    Checker checker =
        new LeakChecker(
            (rules, session, dn, shown) -> rules > 0 && session.equals("s") && dn.equals("b"));
    Recording both = new Recording(List.of(memory(300, STATES.get(2))), List.of());
    Recording before = new Recording(List.of(memory(149, STATES.get(2))), List.of());
    Recording other = new Recording(List.of(read("t", 300, Read.MEMORY, STATES.get(2))), List.of());
    assertThat(checker.check(both, timeline, AGE)).hasSize(1);
    assertThat(checker.check(before, timeline, AGE)).isEmpty();
    assertThat(checker.check(other, timeline, AGE)).isEmpty();
  }

  @Test
  void aStaleReadAfterQuiescenceIsFound() {
    Checker checker = new QuietChecker(300);
    Recording old = new Recording(List.of(memory(300, STATES.get(1))), List.of());
    Recording earlier = new Recording(List.of(memory(299, STATES.get(1))), List.of());
    Recording right = new Recording(List.of(memory(300, STATES.get(2))), List.of());
    assertThat(checker.check(old, timeline, LONG)).hasSize(1);
    assertThat(checker.check(earlier, timeline, LONG)).isEmpty();
    assertThat(checker.check(right, timeline, LONG)).isEmpty();
  }

  private static Read claimed(long decided, long completed, Claim claim) {
    return new Read(
        0, "s", "all", "a", false, 300, decided, completed, Read.MEMORY, 0, Map.of(), claim);
  }

  private List<Violation> time(Read read) {
    Bounds bounds = new Bounds(50, 20, 50, 50, false);
    return new TimeChecker().check(new Recording(List.of(read), List.of()), timeline, bounds);
  }

  @Test
  void aClaimOlderThanItsBoundIsFound() {
    assertThat(time(claimed(310, 310, new Claim(290, true)))).isEmpty();
    assertThat(time(claimed(310, 310, new Claim(289, true)))).hasSize(1);
    assertThat(time(claimed(310, 310, new Claim(250, false)))).isEmpty();
    assertThat(time(claimed(310, 310, new Claim(249, false)))).hasSize(1);
  }

  @Test
  void aWrongClaimIsFound() {
    assertThat(time(claimed(310, 310, Claim.NONE))).as("an answer nobody knew of").hasSize(1);
    assertThat(time(claimed(310, 320, new Claim(300, false)))).as("none at once").hasSize(1);
    assertThat(time(claimed(310, 320, Claim.NONE))).as("an answer to another search").isEmpty();
    assertThat(time(claimed(310, 310, null))).as("no explanation was requested").isEmpty();
  }
}
