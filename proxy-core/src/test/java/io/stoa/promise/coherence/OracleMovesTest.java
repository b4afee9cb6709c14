// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What the judge of real replicas lets them show while they catch up, and no more. */
class OracleMovesTest {
  private static final String HERE = "cn=e1,ou=b";
  private static final String THERE = "cn=e1,ou=a";
  private static final String ELSEWHERE = "cn=e1,ou=c";
  private static final SortedMap<String, String> FIRST = body("f1");
  private static final SortedMap<String, String> SECOND = body("f2");
  private static final SortedMap<String, String> THIRD = body("f3");

  private final List<SortedMap<String, SortedMap<String, String>>> states =
      new ArrayList<>(List.of(new TreeMap<>()));

  private static SortedMap<String, String> body(String flag) {
    return new TreeMap<>(OracleWorld.person("v", flag));
  }

  private void then(Consumer<SortedMap<String, SortedMap<String, String>>> write) {
    SortedMap<String, SortedMap<String, String>> next =
        new TreeMap<>(states.get(states.size() - 1));
    write.accept(next);
    states.add(next);
  }

  private void moved(String from, String to) {
    then(all -> all.put(to, all.remove(from)));
  }

  @Test
  void statesUnderFormerNamesMayBeShown() {
    then(all -> all.put(HERE, FIRST));
    then(all -> all.put(HERE, SECOND));
    moved(HERE, ELSEWHERE);
    moved(ELSEWHERE, THERE);
    then(all -> all.put(THERE, THIRD));
    assertThat(OracleMoves.before(THERE, states)).containsExactlyInAnyOrder(FIRST, SECOND);
    assertThat(OracleMoves.before(ELSEWHERE, states)).containsExactlyInAnyOrder(FIRST, SECOND);
    assertThat(OracleMoves.before(HERE, states)).isEmpty();
  }

  @Test
  void statesOfAnotherEntryMayNotBeShown() {
    then(all -> all.put(HERE, FIRST));
    then(all -> all.remove(HERE));
    then(all -> all.put(HERE, SECOND));
    moved(HERE, THERE);
    assertThat(OracleMoves.before(THERE, states)).containsExactly(SECOND);
  }

  @Test
  void anEntryThatNeverMovedHasNoFormerStates() {
    then(all -> all.put(THERE, FIRST));
    then(all -> all.put(THERE, SECOND));
    assertThat(OracleMoves.before(THERE, states)).isEmpty();
  }
}
