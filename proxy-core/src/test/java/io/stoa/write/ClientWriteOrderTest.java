// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import io.stoa.write.ClientWriteOrder.Turn;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of one client's writes, by the places of their entries in the tree. */
class ClientWriteOrderTest {
  private static final String PARENT = "com/example";
  private static final String CHILD = PARENT + "/anna";
  private static final String SIBLING = PARENT + "/bert";

  private final List<String> begun = new ArrayList<>();
  private int empty;
  private final ClientWriteOrder order = new ClientWriteOrder(() -> empty++);

  private Turn take(String name, String place) {
    Octets octets = place == null ? null : Octets.of(place.getBytes(UTF_8));
    return order.take(octets, () -> begun.add(name));
  }

  private Turn ready(String name, String place) {
    Turn turn = take(name, place);
    turn.beginInTurn();
    return turn;
  }

  @Test
  void aWriteOfAnotherEntryBeginsAtOnce() {
    ready("first", CHILD);
    ready("second", SIBLING);
    assertThat(begun).containsExactly("first", "second");
  }

  @Test
  void aWriteOfTheSameEntryBeginsAfterTheFirstOneHasEnded() {
    Turn first = ready("first", CHILD);
    ready("second", CHILD);
    assertThat(begun).containsExactly("first");
    first.end();
    assertThat(begun).containsExactly("first", "second");
  }

  @Test
  void aWriteOfAChildBeginsAfterThatOfItsParent() {
    Turn parent = ready("parent", PARENT);
    ready("child", CHILD);
    assertThat(begun).containsExactly("parent");
    parent.end();
    assertThat(begun).containsExactly("parent", "child");
  }

  @Test
  void aWriteOfAParentBeginsAfterThoseOfAllItsChildren() {
    Turn child = ready("child", CHILD);
    Turn sibling = ready("sibling", SIBLING);
    ready("parent", PARENT);
    child.end();
    assertThat(begun).containsExactly("child", "sibling");
    sibling.end();
    assertThat(begun).containsExactly("child", "sibling", "parent");
  }

  @Test
  void aWriteOfAnUnknownEntryFollowsAllEarlierOnesAndPrecedesAllLaterOnes() {
    Turn first = ready("first", CHILD);
    Turn unknown = ready("unknown", null);
    ready("later", SIBLING);
    assertThat(begun).containsExactly("first");
    first.end();
    assertThat(begun).containsExactly("first", "unknown");
    unknown.end();
    assertThat(begun).containsExactly("first", "unknown", "later");
  }

  @Test
  void aWriteThatIsNotReadyDelaysTheNextOneOfItsEntry() {
    Turn waiting = take("waiting", CHILD);
    ready("second", CHILD);
    assertThat(begun).isEmpty();
    waiting.beginInTurn();
    assertThat(begun).containsExactly("waiting");
  }

  @Test
  void theEndOfAWriteThatWasNeverSentReleasesTheNextOne() {
    Turn waiting = take("dropped", CHILD);
    ready("second", CHILD);
    waiting.end();
    assertThat(begun).containsExactly("second");
  }

  @Test
  void aSecondEndOfAWriteHasNoEffect() {
    Turn first = ready("first", CHILD);
    Turn second = ready("second", CHILD);
    ready("third", CHILD);
    first.end();
    first.end();
    assertThat(begun).containsExactly("first", "second");
    second.end();
    assertThat(begun).containsExactly("first", "second", "third");
  }

  @Test
  void theLastEndReportsThatTheOrderIsEmpty() {
    Turn first = ready("first", CHILD);
    Turn second = ready("second", SIBLING);
    first.end();
    assertThat(empty).isZero();
    second.end();
    assertThat(empty).isOne();
  }

  @Test
  void onlyEarlierWritesOfTheSameEntryAreHurried() {
    List<String> hurried = new ArrayList<>();
    take("same", CHILD).setUrge(() -> hurried.add("same"));
    take("sibling", SIBLING).setUrge(() -> hurried.add("sibling"));
    Turn urgent = take("urgent", CHILD);
    take("later", CHILD).setUrge(() -> hurried.add("later"));
    urgent.hurryEarlier();
    assertThat(hurried).containsExactly("same");
  }
}
