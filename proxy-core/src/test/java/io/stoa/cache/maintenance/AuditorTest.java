// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.deleted;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.uuid;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.regex.Pattern.quote;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.ImmediateEventExecutor;
import io.stoa.cache.maintenance.AuditComparison.ComparisonOutcome;
import io.stoa.cache.maintenance.AuditComparison.Difference;
import io.stoa.cache.maintenance.AuditComparison.Verdict;
import io.stoa.cache.maintenance.Auditor.AuditRequest;
import io.stoa.cache.maintenance.Auditor.Finding;
import io.stoa.cache.result.CacheStage.HeldAnswer;
import io.stoa.cache.result.Caches.CachedResultRef;
import io.stoa.cache.result.Caches.ClockAndRandom;
import io.stoa.coherence.index.PredicateIndex;
import io.stoa.coherence.invalidation.ChangeRing;
import io.stoa.coherence.invalidation.DomainConfig;
import io.stoa.coherence.view.EpochState;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.Members;
import io.stoa.coherence.view.Members.Member;
import io.stoa.coherence.view.View;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSession;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.SmallDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What becomes of a comparison, whoever made it. */
class AuditorTest {
  private static final Octets PARTITION = Octets.ofUtf8("own");
  private static final String ANN = "cn=ann,dc=x";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final View view = view();
  private CachedResultRef kept = new CachedResultRef(Octets.EMPTY, PARTITION, null, view);
  private final ClientSession client = client("cn=one");
  private final List<MaintenanceLoop> comparedOn = new ArrayList<>();
  private final List<Finding> findings = new ArrayList<>();
  private final List<AuditRequest> followUps = new ArrayList<>();
  private final ChangeRing changes =
      new ChangeRing(DomainConfig.RING, SmallDirectory.CONTEXT, Position.NONE, gone -> {});

  private static ClientSession client(String dn) {
    ClientIdentity identity = ClientIdentity.simple(dn.getBytes(UTF_8), null);
    return new InternalSession(ImmediateEventExecutor.INSTANCE, identity);
  }

  private static View view() {
    Member ann = new Member(uuid(1), csn(1), dn(ANN));
    EpochState terms = new EpochState(new FreshnessGuarantee(now -> true, null, null));
    View view =
        new View(
            query("dc=x", 2, "(cn=x)"),
            Members.of(List.of(ann)),
            terms,
            new PredicateIndex<>(),
            (dead, cause) -> {});
    view.register(List.of(dn(ANN)));
    view.setReadNanos(0);
    view.markUnseen();
    view.markValid();
    return view;
  }

  private static MaintenanceLoop place(ClientSession... clients) {
    MaintenanceLoop.Context terms =
        new MaintenanceLoop.Context(
            () -> List.of(clients),
            identity -> Set.of(PARTITION),
            null,
            null,
            ClockAndRandom.SYSTEM);
    return new MaintenanceLoop(ImmediateEventExecutor.INSTANCE, null, terms);
  }

  private Auditor audited(ComparisonOutcome outcome, MaintenanceLoop... places) {
    Auditor auditor =
        new Auditor(
            List.of(places),
            (maintenanceLoop, as, what, receiver) -> {
              assertThat(as).isSameAs(client);
              assertThat(what).isSameAs(kept);
              comparedOn.add(maintenanceLoop);
              receiver.accept(outcome);
            },
            (entries, max, found) -> found.accept(changes.changesOf(entries, max)),
            followUps::add,
            System::nanoTime);
    auditor.audit(kept, findings::add);
    return auditor;
  }

  private static ComparisonOutcome after(Verdict verdict, long millis) {
    return new ComparisonOutcome(verdict, TimeUnit.MILLISECONDS.toNanos(millis), null);
  }

  @Test
  void aResultIsComparedOnTheLoopOfItsClient() {
    MaintenanceLoop here = place();
    MaintenanceLoop there = place(client);
    Auditor auditor = audited(after(Verdict.SAME, 0), here, there);
    assertThat(comparedOn).containsExactly(there);
    assertThat(findings).containsExactly(Finding.VERIFIED);
    assertThat(auditor.verified()).isEqualTo(1);
    assertThat(auditor.staleness().get(0)).isEqualTo(1);
  }

  /** Whoever has read it cannot say whether others are given the same. */
  @Test
  void aClientOtherThanTheReaderIsPreferred() {
    ClientSession reader = client("cn=reader");
    kept = new CachedResultRef(Octets.EMPTY, PARTITION, reader.identity().name(), view);
    MaintenanceLoop there = place(client);
    audited(after(Verdict.SAME, 0), place(reader), there);
    assertThat(comparedOn).containsExactly(there);
  }

  @Test
  void aResultWithoutAClientIsNotCompared() {
    Auditor auditor = audited(after(Verdict.SAME, 0), place(), place());
    assertThat(comparedOn).isEmpty();
    assertThat(findings).containsExactly(Finding.NO_CLIENT);
    assertThat(auditor.withoutClient()).isEqualTo(1);
    assertThat(auditor.verified()).isZero();
  }

  @Test
  void staleResultsAreCountedByTheirLag() {
    Auditor auditor = audited(after(Verdict.BEHIND, 30), place(client));
    assertThat(findings).containsExactly(Finding.VERIFIED);
    assertThat(auditor.staleness()).containsExactly(0L, 0L, 1L, 0L, 0L, 0L, 0L, 0L);
    assertThat(audited(after(Verdict.BEHIND, 5000), place(client)).staleness())
        .containsExactly(0L, 0L, 0L, 0L, 0L, 0L, 0L, 1L);
    assertThat(view.isInvalid()).isFalse();
  }

  @Test
  void anUndecidedComparisonCountsNeitherWay() {
    Auditor auditor = audited(after(Verdict.UNDECIDED, 0), place(client));
    assertThat(findings).containsExactly(Finding.UNVERIFIABLE);
    assertThat(auditor.undecided()).isEqualTo(1);
    assertThat(auditor.staleness()).containsOnly(0L);
    assertThat(view.isInvalid()).isFalse();
  }

  private ComparisonOutcome wrong(int state) {
    Octets name = Octets.ofUtf8(ANN);
    Octets type = Octets.ofUtf8("sn");
    ResponseContents own =
        new ResponseContents(0, Map.of(name, Map.of(type, Set.of(Octets.ofUtf8("Before")))), 1);
    ResponseContents there =
        new ResponseContents(0, Map.of(name, Map.of(type, Set.of(Octets.ofUtf8("After")))), 1);
    HeldAnswer memory = new HeldAnswer(List.of(), new byte[0], view, List.of(csn(1)));
    Difference difference = new Difference(0, memory, own, there, Map.of(uuid(1), csn(state)));
    return new ComparisonOutcome(Verdict.WRONG, 700_000_000, difference);
  }

  /** In the same state it looks different to one of them; in another one a change was lost. */
  @Test
  void aSharedMismatchIsFollowedUpUnlessAChangeExplainsIt() {
    CachedResultRef own = kept;
    kept = new CachedResultRef(Octets.EMPTY, PARTITION, Octets.ofUtf8("cn=reader"), view);
    audited(wrong(2), place(client));
    assertThat(followUps).isEmpty();
    audited(wrong(1), place(client));
    assertThat(followUps).hasSize(1);
    assertThat(followUps.get(0).client()).isSameAs(client);
    kept = own;
    audited(wrong(1), place(client));
    assertThat(followUps).hasSize(1);
  }

  @Test
  void aMismatchInvalidatesAndIsLoggedWithoutValues() {
    Auditor auditor = audited(wrong(2), place(client));
    assertThat(findings).containsExactly(Finding.DIFFERING);
    assertThat(auditor.incoherent()).isEqualTo(1);
    assertThat(auditor.verified()).isZero();
    assertThat(view.isInvalid()).isTrue();
    assertThat(log.warnings())
        .singleElement()
        .asString()
        .contains(uuid(1) + " stored " + csn(1).text() + ", directory " + csn(2).text())
        .contains("the feed has reported no recent change of them")
        .doesNotContain("Before", "After", "ann");
  }

  @Test
  void recentChangesOfAMismatchAreLogged() {
    changes.append(modified(1, person(ANN, "After"), 2), System.nanoTime());
    changes.append(modified(2, person("cn=bob,dc=x", "Bob"), 3), System.nanoTime());
    changes.append(deleted(1, ANN, 4), System.nanoTime());
    audited(wrong(2), place(client));
    assertThat(log.warnings())
        .singleElement()
        .asString()
        .containsPattern(
            "latest first: %1$s Deleted %2$s \\d+ ms ago; %1$s Modified %3$s \\d+ ms ago$"
                .formatted(uuid(1), quote(csn(4).text()), quote(csn(2).text())))
        .doesNotContain(uuid(2).toString(), "After", "Bob", "ann");
  }

  @Test
  void onlyTheLastChangesOfAMismatchAreLogged() {
    for (int number = 2; number < 30; number++) {
      changes.append(modified(1, ANN, number), System.nanoTime());
    }
    audited(wrong(31), place(client));
    assertThat(log.warnings())
        .singleElement()
        .asString()
        .contains(csn(29).text(), csn(14).text(), "; and more")
        .doesNotContain(csn(13).text());
  }
}
