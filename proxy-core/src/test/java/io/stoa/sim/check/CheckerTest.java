// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each checker finds what breaks its promise, and nothing that only nearly does. */
class CheckerTest {
  private static final int MISSING = 32;

  /** State 0 is there since ever, state 1 since 100, state 2 since 200. */
  private static final List<Map<String, String>> STATES =
      List.of(Map.of("a", "v0"), Map.of("a", "v1"), Map.of("a", "v2", "b", "v2"));

  private static final Bounds AGE = new Bounds(50, false);
  private static final Bounds ALONE = new Bounds(1_000, true);
  private static final Bounds LONG = new Bounds(1_000, false);

  private final Timeline timeline = new States();

  /** Shows everything to everybody. Immutable. */
  private static final class States implements Timeline {
    @Override
    public int at(long time) {
      return (int) Math.max(0, Math.min(STATES.size() - 1, time / 100));
    }

    @Override
    public int code(int state, Object question) {
      return 0;
    }

    @Override
    public Map<String, String> shown(int state, Object question) {
      return STATES.get(state);
    }

    @Override
    public String entry(int state, String dn, Object question) {
      return STATES.get(state).get(dn);
    }
  }

  private static Read read(String session, long invoked, int served, Map<String, String> entries) {
    return new Read(0, session, "all", "a", invoked, invoked + 10, served, 0, entries);
  }

  private static Read memory(long invoked, Map<String, String> entries) {
    return read("s", invoked, Read.MEMORY, entries);
  }

  private static Write write(String session, int state, long answered) {
    return new Write(session, List.of("a"), false, state, answered, true);
  }

  private List<Violation> set(Bounds bounds, List<Write> writes, Read... reads) {
    return new SetChecker().check(new Recording(List.of(reads), writes), timeline, bounds);
  }

  private List<Violation> session(List<Write> writes, Read... reads) {
    return new SessionChecker().check(new Recording(List.of(reads), writes), timeline, LONG);
  }

  @Test
  void whatIsTooOldIsFound() {
    assertThat(set(AGE, List.of(), memory(149, STATES.get(0)))).isEmpty();
    assertThat(set(AGE, List.of(), memory(150, STATES.get(0)))).hasSize(1);
    assertThat(set(AGE, List.of(), memory(150, STATES.get(1)))).isEmpty();
  }

  @Test
  void whatIsTooNewIsFound() {
    assertThat(set(AGE, List.of(), memory(189, STATES.get(2)))).hasSize(1);
    assertThat(set(AGE, List.of(), memory(190, STATES.get(2)))).isEmpty();
  }

  @Test
  void whatIsMissingOrTooMuchIsFound() {
    assertThat(set(AGE, List.of(), memory(300, Map.of("a", "v2")))).hasSize(1);
    assertThat(set(AGE, List.of(), memory(300, Map.of("a", "v2", "b", "v2", "c", "v2"))))
        .hasSize(1);
  }

  @Test
  void anotherResultCodeIsFound() {
    Read wrong = new Read(0, "s", "all", "a", 300, 310, Read.MEMORY, MISSING, STATES.get(2));
    assertThat(set(AGE, List.of(), wrong)).hasSize(1);
  }

  @Test
  void aServerShowsWhatItHas() {
    assertThat(set(AGE, List.of(), read("s", 300, 0, STATES.get(0)))).isEmpty();
    assertThat(set(AGE, List.of(), read("s", 300, 0, STATES.get(1)))).hasSize(1);
  }

  /** Where there is one server, whoever asks after a write was answered is shown it. */
  @Test
  void whatWasAnsweredIsShownToAll() {
    List<Write> writes = List.of(write("other", 1, 120));
    assertThat(set(ALONE, writes, memory(120, STATES.get(0)))).isEmpty();
    assertThat(set(ALONE, writes, memory(121, STATES.get(0)))).hasSize(1);
    assertThat(set(LONG, writes, memory(121, STATES.get(0)))).isEmpty();
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
  void whatMayNotHaveHappenedNeedNotBeShown() {
    Write unsure = new Write("s", List.of("a"), false, 1, 120, false);
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
  void aChangeOfANameConcernsAllBelow() {
    Write write = new Write("s", List.of("ou=x"), true, 1, 0, true);
    assertThat(write.concerns("ou=x")).isTrue();
    assertThat(write.concerns("cn=y,ou=x")).isTrue();
    assertThat(write.concerns("cn=you=x")).isFalse();
    assertThat(new Write("s", List.of("ou=x"), false, 1, 0, true).concerns("cn=y,ou=x")).isFalse();
  }

  @Test
  void whatIsHiddenIsFound() {
    Checker checker =
        new LeakChecker((session, dn, shown) -> session.equals("s") && dn.equals("b"));
    Recording both = new Recording(List.of(memory(300, STATES.get(2))), List.of());
    Recording other = new Recording(List.of(read("t", 300, Read.MEMORY, STATES.get(2))), List.of());
    assertThat(checker.check(both, timeline, AGE)).hasSize(1);
    assertThat(checker.check(other, timeline, AGE)).isEmpty();
  }
}
