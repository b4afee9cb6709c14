// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.operation.Rejection;
import io.stoa.testing.Answers;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.ManualUpstream;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RecordedResponse;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.TestSession;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several directories behind one tree: one holds a part of another one, and one holds the rest. */
class TopologyStageTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String PEOPLE = "ou=people," + TOP;
  private static final int SUCCESS = 0;
  private static final int SIZE_LIMIT_EXCEEDED = 4;
  private static final int NO_SUCH_OBJECT = 32;
  private static final int DENIED = 50;

  private final ManualUpstream top = new ManualUpstream();
  private final ManualUpstream people = new ManualUpstream();
  private final ManualUpstream rest = new ManualUpstream();
  private final TestSession client = new TestSession(new ManualLoop());
  private final TopologyStage stage =
      new TopologyStage(
          new SuffixTable(List.of(List.of(TOP), List.of(PEOPLE), List.of())),
          List.of(top, people, rest),
          null);

  private RecordedResponse send(RawRequest request) {
    return client.send(request, stage);
  }

  private RecordedResponse search(String base) {
    return send(Requests.search(base).request());
  }

  private List<Integer> received() {
    return List.of(top.received(), people.received(), rest.received());
  }

  // One directory

  @Test
  void theLongestSuffixDecidesTheDirectoryOfAName() {
    send(Requests.delete("uid=anna," + PEOPLE));
    assertThat(received()).containsExactly(0, 1, 0);
    send(Requests.delete("ou=groups," + TOP));
    assertThat(received()).containsExactly(1, 1, 0);
  }

  @Test
  void aNameBelowNoSuffixIsInTheDirectoryOfTheRest() {
    send(Requests.delete("dc=other,dc=com"));
    send(Requests.delete("no name"));
    assertThat(received()).containsExactly(0, 0, 2);
  }

  @Test
  void aSimpleBindGoesToTheDirectoryOfItsName() {
    send(Requests.bind("UID=anna, OU=People, " + TOP, "secret"));
    assertThat(received()).containsExactly(0, 1, 0);
  }

  @Test
  void aSaslBindGoesToTheDirectoryOfTheRest() {
    send(Requests.saslBind("PLAIN", "anna"));
    assertThat(received()).containsExactly(0, 0, 1);
  }

  @Test
  void aRenameToAnotherDirectoryIsRejected() {
    String name = "uid=anna," + PEOPLE;
    assertThat(send(Requests.move(name, "uid=anna", TOP)).outcome()).isEqualTo("OTHER_DIRECTORY");
    send(Requests.rename(name, "uid=bert", true));
    assertThat(received()).containsExactly(0, 1, 0);
  }

  @Test
  void aNewNameOfAnotherDirectoryIsRejected() {
    RecordedResponse response = send(Requests.rename("ou=staff," + TOP, "ou=people", true));
    assertThat(response.outcome()).isEqualTo("OTHER_DIRECTORY");
  }

  @Test
  void aSearchWithinOneDirectoryIsForwardedUnchanged() {
    RawRequest request = Requests.search("ou=x," + PEOPLE).sizeLimit(7).request();
    send(request);
    assertThat(people.open()).containsExactly(request.op());
  }

  @Test
  void anIdentityOfOneDirectoryIsAnonymousInAnother() {
    client.named("uid=anna," + PEOPLE);
    search("ou=x," + PEOPLE);
    search("ou=groups," + TOP);
    assertThat(people.oldest().session().identity().isAnonymous()).isFalse();
    assertThat(top.oldest().session().identity().isAnonymous()).isTrue();
  }

  // Several directories

  @Test
  void theDirectoriesOfASearchAreAskedInTurn() {
    RecordedResponse response = search(TOP);
    assertThat(received()).containsExactly(1, 0, 0);
    top.entry(new Entry("ou=groups," + TOP));
    top.answer(SUCCESS);
    assertThat(received()).containsExactly(1, 1, 0);
    people.entry(Answers.person("anna", "x"));
    people.answer(SUCCESS);
    assertThat(response.parts()).isEqualTo(2);
    assertThat(client.ends()).containsExactly("1 0");
  }

  @Test
  void aSearchOfOneLevelAsksTheDirectoryBelowForItsTopEntryAlone() {
    send(Requests.search(TOP).oneLevel().request());
    top.answer(SUCCESS);
    assertThat(people.open()).containsExactly(Requests.search(PEOPLE).baseScope().request().op());
  }

  @Test
  void theFirstErrorEndsTheSearch() {
    RecordedResponse response = search(TOP);
    top.answer(DENIED);
    assertThat(response.outcome()).isEqualTo("50");
    assertThat(received()).containsExactly(1, 0, 0);
  }

  @Test
  void aMissingEntryBelowTheBaseIsNoError() {
    RecordedResponse response = search(TOP);
    top.answer(SUCCESS);
    people.answer(NO_SUCH_OBJECT);
    assertThat(response.outcome()).isEqualTo("0");
  }

  @Test
  void aBaseThatNoDirectoryHasIsMissing() {
    RecordedResponse response = search("dc=com");
    rest.answer(NO_SUCH_OBJECT);
    top.answer(NO_SUCH_OBJECT);
    people.answer(NO_SUCH_OBJECT);
    assertThat(response.outcome()).isEqualTo("32");
  }

  @Test
  void aReferralOfADirectoryBelowBecomesAReference() {
    RecordedResponse response = search(TOP);
    top.answer(SUCCESS);
    people.answer(referral());
    assertThat(response.parts()).isOne();
    assertThat(response.outcome()).isEqualTo("0");
  }

  /** Returns the result of a search that is a referral: the result of a modification, retagged. */
  private static RawRequest referral() {
    byte[] op = Responses.referral("ldap://elsewhere").op();
    op[0] = 0x65;
    return new RawRequest(op);
  }

  @Test
  void aSizeLimitCountsTheEntriesOfAllDirectories() {
    RecordedResponse response = send(Requests.search(TOP).sizeLimit(2).request());
    top.entry(new Entry("ou=groups," + TOP));
    top.entry(new Entry("cn=admins,ou=groups," + TOP));
    top.answer(SUCCESS);
    people.entry(Answers.person("anna", "x"));
    assertThat(response.parts()).isEqualTo(2);
    assertThat(response.outcome()).isEqualTo(Integer.toString(SIZE_LIMIT_EXCEEDED));
    assertThat(people.oldest().hasEnded()).isTrue();
  }

  @Test
  void anEntryThatAnotherDirectoryHoldsIsPassedOnOnce() {
    RecordedResponse response = search(TOP);
    top.entry(new Entry("uid=anna," + PEOPLE));
    assertThat(response.parts()).isZero();
    top.answer(SUCCESS);
    people.entry(new Entry("uid=anna," + PEOPLE));
    assertThat(response.parts()).isOne();
  }

  @Test
  void aLostDirectoryRejectsTheSearch() {
    RecordedResponse response = search(TOP);
    top.answer(SUCCESS);
    people.lose(Rejection.NO_UPSTREAM);
    assertThat(response.outcome()).isEqualTo("NO_UPSTREAM");
  }

  @Test
  void anAbandonedSearchAsksNoFurtherDirectory() {
    search(TOP);
    client.abandon(1);
    assertThat(top.oldest().hasEnded()).isTrue();
    top.answer(SUCCESS);
    assertThat(received()).containsExactly(1, 0, 0);
    assertThat(client.ends()).containsExactly("1 abandoned");
  }

  @Test
  void aCriticalControlForOneServerIsRejectedAboveSeveralDirectories() {
    RawRequest search = Requests.search(TOP).request();
    RecordedResponse critical = send(search.with(new SimplePagedResultsControl(2, true)));
    assertThat(critical.outcome()).isEqualTo("SEARCH_OF_SEVERAL");
    assertThat(received()).containsExactly(0, 0, 0);
    send(search.with(new SimplePagedResultsControl(2, false)));
    assertThat(received()).containsExactly(1, 0, 0);
  }
}
