// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.cli.client.StoactlExitCode;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.ScriptedUpstream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How {@code stoactl audit} ends, by what a Stoa tells of the comparison and of its feeds. */
class AuditIT {
  private static final String ENTRY = "cn=Maintenance,cn=monitor";

  @RegisterExtension final ScriptedUpstream server = ScriptedUpstream.start();

  /** What is told of the comparison, the last for ever. */
  private final Deque<Entry> answers = new ArrayDeque<>();

  private static Entry entry(String dn, String... lines) {
    Entry entry = new Entry(dn);
    entry.addAttribute("objectClass", "top");
    for (String line : lines) {
      entry.addAttribute(line.split(": ")[0], line.split(": ")[1]);
    }
    return entry;
  }

  private static Entry comparison(int number, String state, int results, int differing) {
    return entry(
        ENTRY,
        "stoaFullAuditNumber: " + number,
        "stoaFullAuditState: " + state,
        "stoaFullAuditResults: " + results,
        "stoaFullAuditDiffering: " + differing);
  }

  @BeforeEach
  void isStoa() {
    Answer next =
        (request, link) ->
            Answers.entries(answers.size() > 1 ? answers.remove() : answers.element())
                .to(request, link);
    server.when(
        request -> request.isSearchFor("cn=monitor"),
        Answers.entries(entry("cn=monitor", "version: Stoa 1.0", "stoaInterface: 1")));
    server.when(request -> request.isSearchFor(ENTRY), next);
    feedIs("live");
  }

  private void feedIs(String state) {
    server.when(
        request -> request.isSearchFor("cn=Feeds,cn=monitor"),
        Answers.entries(entry("cn=dc=x,cn=Feeds,cn=monitor", "stoaFeedState: " + state)));
  }

  private CommandLineRun verify(Entry... comparisons) {
    answers.addAll(List.of(comparisons));
    return run();
  }

  private CommandLineRun run(String... more) {
    List<String> all = new ArrayList<>(List.of("audit", "-H", "ldap://127.0.0.1:" + server.port()));
    all.addAll(List.of(more));
    return CommandLineRun.of(Map.of(Environment.PASSWORD, "secret"), all.toArray(String[]::new));
  }

  @Test
  void aComparisonOfAnotherCallerIsNotTheResult() {
    CommandLineRun run =
        verify(
            comparison(1, "running", 2, 0),
            comparison(1, "running", 2, 0),
            comparison(2, "done", 1, 0));
    assertThat(run.code()).isEqualTo(StoactlExitCode.UNCOMPARED.code());
    assertThat(run.err()).contains("another comparison has begun");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aDifferenceOfAnAbortedComparisonCounts() {
    CommandLineRun run =
        verify(
            comparison(1, "running", 2, 0),
            comparison(1, "running", 2, 1),
            comparison(2, "done", 1, 0));
    assertThat(run.code()).isEqualTo(StoactlExitCode.DIFFERS.code());
    assertThat(run.err()).contains("another comparison has begun");
  }

  @Test
  void aComparisonWithoutProgressTimesOut() {
    answers.addAll(List.of(comparison(1, "running", 2, 0), comparison(1, "running", 2, 1)));
    CommandLineRun run = run("--timeout", "1");
    assertThat(run.code()).isEqualTo(StoactlExitCode.DIFFERS.code());
    assertThat(run.err()).contains("no progress for 6 s", "1 differ");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void anEmptyComparisonSucceedsOnlyWithALiveFeed() {
    assertThat(verify(comparison(1, "done", 0, 0)).code()).isZero();
    feedIs("suspended");
    CommandLineRun run = verify();
    assertThat(run.code()).isEqualTo(StoactlExitCode.UNCOMPARED.code());
    assertThat(run.err()).contains("nothing was compared: no feed is live");
    assertThat(run.out()).contains("done");
  }
}
