// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.ImmediateEventExecutor;
import io.stoa.coherence.invalidation.CoherenceDomain;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.invalidation.DomainConfig;
import io.stoa.coherence.rights.DerivedAttributes;
import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.coherence.rights.RightsWatermark;
import io.stoa.coherence.tracking.BracketingRead.SeenEntry;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.event.PrivilegedReader.ReadFailure;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import io.stoa.testing.Requests;
import io.stoa.testing.SmallDirectory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the account of a feed is asked before and after a client is. */
class BracketingReadTest {
  private static final int MANY = 100;
  private static final Object HOME = new Object();

  private final Deque<Runnable> reads = new ArrayDeque<>();
  private final List<Map<Octets, SeenEntry>> seen = new ArrayList<>();
  private boolean silent;
  private int clients;

  private void search(
      PrivilegedReader.Search search,
      Consumer<List<SearchEntry>> found,
      Consumer<ReadFailure> failed) {
    boolean answers = !silent;
    reads.add(() -> answer(answers, found, failed));
  }

  private static void answer(
      boolean answers, Consumer<List<SearchEntry>> found, Consumer<ReadFailure> failed) {
    if (answers) {
      found.accept(List.of());
    } else {
      failed.accept(ReadFailure.withoutResult("as it was to"));
    }
  }

  private FeedCoverage coverage() {
    DomainConfig config =
        new DomainConfig(
            CONTEXT,
            name -> NormalDn.of(name, SmallDirectory.PROFILE),
            type -> false,
            DomainConfig.SETTLE,
            DomainConfig.RING,
            0,
            () -> false,
            FeedKind.SYNCREPL,
            now -> now);
    DomainContext context =
        new DomainContext(
            ImmediateEventExecutor.INSTANCE,
            System::nanoTime,
            new FreshnessGuarantee(now -> true, null, null),
            all -> {},
            this::search);
    CoherenceDomain domain = new CoherenceDomain(config, context, change -> {});
    domain.setFeedServer(HOME);
    return new FeedCoverage(
        domain,
        ImmediateEventExecutor.INSTANCE,
        SmallDirectory.PROFILE,
        DerivedAttributes.of(DerivedConfig.DEFAULTS, SmallDirectory.RULES),
        new RightsWatermark(
            Duration.ofSeconds(5),
            DomainConfig.SETTLE,
            LongUnaryOperator.identity(),
            System::nanoTime),
        () -> false,
        () -> true,
        HOME);
  }

  private static Operation operation() {
    return new Operation(
        new InternalSession(ImmediateEventExecutor.INSTANCE),
        LdapMessage.ofBody(1, Requests.search("dc=x").request().op()),
        new RequestDecoder(() -> DecodeLimits.DEFAULTS),
        0,
        own -> null); // nobody answers it
  }

  private void look() {
    List<Octets> names =
        IntStream.range(0, MANY).mapToObj(n -> Octets.ofUtf8("cn=" + n + ",dc=x")).toList();
    BracketingRead.readAround(
        coverage(),
        names,
        ImmediateEventExecutor.INSTANCE,
        done -> {
          clients++;
          done.accept(operation());
        },
        seen::add);
  }

  private int answerAll() {
    int max = 0;
    while (!reads.isEmpty()) {
      max = Math.max(max, reads.size());
      reads.remove().run();
    }
    return max;
  }

  /** Others read as the account, too, on the same connection. */
  @Test
  void aFewEntriesAreAskedForAtOnceAndTheOthersFollow() {
    look();
    assertThat(answerAll()).isEqualTo(BracketingRead.MAX_CONCURRENT);
    assertThat(clients).isEqualTo(1);
    assertThat(seen).hasSize(1);
    assertThat(seen.get(0)).hasSize(MANY);
  }

  @Test
  void anUnansweredReadDoesNotBlockTheOthers() {
    silent = true;
    look();
    silent = false;
    answerAll();
    assertThat(seen).hasSize(1);
    assertThat(seen.get(0)).hasSize(MANY - BracketingRead.MAX_CONCURRENT);
  }
}
