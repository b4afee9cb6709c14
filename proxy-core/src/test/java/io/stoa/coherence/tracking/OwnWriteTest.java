// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.entry;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.octets;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.coherence.invalidation.CoherenceDomain;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.invalidation.DomainConfig;
import io.stoa.coherence.invalidation.DomainState;
import io.stoa.coherence.invalidation.ReadResult;
import io.stoa.coherence.invalidation.ReadStart;
import io.stoa.coherence.invalidation.RingRecord;
import io.stoa.coherence.rights.DerivedAttributes;
import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.coherence.rights.RightsWatermark;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.View;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.event.PrivilegedReader.ReadFailure;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.operation.OwnChange;
import io.stoa.operation.ReadSource;
import io.stoa.testing.Await;
import io.stoa.testing.SmallDirectory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A write through Stoa while the thread of its realm stands still. */
class OwnWriteTest {
  private static final String ANN = "cn=ann,ou=p,dc=x";
  private static final Object HOME = new Object();

  private final EventExecutor own = executor("test-realm");
  private final EventExecutor loop = executor("test-loop");
  private final CountDownLatch held = new CountDownLatch(1);
  private final CoherenceDomain domain = realm();

  private static EventExecutor executor(String name) {
    return new DefaultEventExecutor(new DefaultThreadFactory(name, true));
  }

  private CoherenceDomain realm() {
    DomainConfig config =
        new DomainConfig(
            CONTEXT,
            name -> NormalDn.of(name, SmallDirectory.PROFILE),
            type -> false,
            Duration.ZERO, // all that is read here is what the feed began with
            DomainConfig.RING,
            0,
            () -> false,
            FeedKind.SYNCREPL,
            now -> now);
    CoherenceDomain made =
        new CoherenceDomain(
            config,
            new DomainContext(
                own,
                System::nanoTime,
                new FreshnessGuarantee(now -> true, null, null),
                all -> {},
                all()),
            change -> {});
    made.setFeedServer(HOME);
    made.feed().onLive(upTo(1));
    awaitDomainIdle();
    return made;
  }

  /** All entries are there, as at first. */
  private static PrivilegedReader all() {
    Map<String, Integer> entries = Map.of("dc=x", 100, "ou=p,dc=x", 101, ANN, 1);
    return (PrivilegedReader.Search search,
        Consumer<List<SearchEntry>> found,
        Consumer<ReadFailure> failed) ->
        found.accept(
            entries.entrySet().stream()
                .filter(one -> asks(search, one.getKey(), uuid(one.getValue()).toString()))
                .map(
                    one ->
                        entry(
                            one.getKey(),
                            Map.of(
                                "entryUUID",
                                uuid(one.getValue()).toString(),
                                "entryCSN",
                                csn(one.getKey().equals(ANN) ? 2 : 1).text())))
                .toList());
  }

  private static boolean asks(PrivilegedReader.Search search, String name, String uuid) {
    return search.scope() == 0
        ? name.equals(new String(search.base(), StandardCharsets.UTF_8))
        : new String(search.filter(), StandardCharsets.UTF_8).contains(uuid);
  }

  private void awaitDomainIdle() {
    own.submit(() -> {}).awaitUninterruptibly();
  }

  private ReadStart open() {
    ReadStart readStart =
        domain.beginRead(query(ANN, 0, "(objectClass=*)"), octets(ANN), (view, cause) -> {});
    assertThat(readStart).isNotNull();
    return readStart;
  }

  private View settled(ReadStart readStart) {
    return settled(readStart, 1);
  }

  private View settled(ReadStart readStart, int csn) {
    ReadResult result =
        new ReadResult(
            false, List.of(new ReadResult.Shown(uuid(1), csn(csn), dn(ANN), octets(ANN))));
    return domain.admit(readStart, result, new ReadSource(HOME, Position.NONE, 0, 0)).view();
  }

  private static void inTime(CompletableFuture<?> answered) throws Exception {
    answered.get(1, TimeUnit.SECONDS);
  }

  private CompletableFuture<?> write(OpType cause) {
    CompletableFuture<Boolean> answered = new CompletableFuture<>();
    RightsWatermark watermark =
        new RightsWatermark(
            Duration.ofSeconds(5),
            DomainConfig.SETTLE,
            LongUnaryOperator.identity(),
            System::nanoTime);
    FeedCoverage coverage =
        new FeedCoverage(
            domain,
            loop,
            SmallDirectory.PROFILE,
            DerivedAttributes.of(DerivedConfig.DEFAULTS, SmallDirectory.RULES),
            watermark,
            () -> false,
            () -> true,
            HOME);
    OwnChange change = new OwnChange(cause, octets(ANN), null, HOME, 0, false, false);
    new OwnWrite(coverage, change, () -> answered.complete(true)).begin(change.entry());
    return answered;
  }

  private void hold() {
    own.execute(
        () -> {
          try {
            held.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private View live() {
    View view = settled(open());
    Await.until("it is live", () -> view.isLive(System.nanoTime()));
    return view;
  }

  @AfterEach
  void end() {
    held.countDown();
    own.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  @Test
  void aWriteIsAnsweredAndInvalidatesThoughTheDomainStalls() throws Exception {
    View view = live();
    hold();
    domain.feed().onChange(modified(1, person(ANN, "Another"), 2));
    ReadStart before = open();
    inTime(write(OpType.MODIFY_REQUEST));
    assertThat(view.isLive(System.nanoTime())).isFalse();
    assertThat(view.isInvalid()).as("not served by its age either").isTrue();
    assertThat(settled(before)).as("a read from before the write").isNull();
  }

  @Test
  void aDeleteAndTheNextWriteAreAnsweredAtOnce() throws Exception {
    View view = live();
    hold();
    inTime(write(OpType.DELETE_REQUEST));
    assertThat(view.isInvalid()).isTrue();
    assertThat(write(OpType.MODIFY_REQUEST)).as("nothing rests on the feed").isDone();
  }

  @Test
  void laterReadsRestOnTheFeedWhenTheDomainContinues() {
    hold();
    ReadStart before = open();
    write(OpType.MODIFY_REQUEST).join();
    held.countDown();
    awaitDomainIdle();
    assertThat(domain.isEmpty()).isFalse();
    assertThat(domain.state()).isEqualTo(DomainState.LIVE);
    assertThat(settled(before)).isNull();
    assertThat(settled(open())).as("a server that may lack the write").isNull();
    domain.feed().onCovered(upTo(2));
    Await.until("it has settled", () -> settled(open(), 2) != null);
  }

  /** A server that is behind may be read from then. */
  @Test
  void writesDuringAStallAreKnownWhenTheDomainContinues() throws Exception {
    live();
    hold();
    inTime(write(OpType.DELETE_REQUEST));
    inTime(write(OpType.MODIFY_REQUEST));
    held.countDown();
    awaitDomainIdle();
    CompletableFuture<List<RingRecord>> known = new CompletableFuture<>();
    domain.findRecentChanges(Set.of(uuid(1)), 10, known::complete);
    assertThat(known.join()).isNotEmpty();
  }

  @Test
  void aWriteInvalidatesNothingElseWithoutAStall() {
    live();
    write(OpType.MODIFY_REQUEST).join();
    assertThat(domain.isEmpty()).isFalse();
    assertThat(domain.status().gaps()).isZero();
  }
}
