// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.feed.event.FeedKind;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.SmallDirectory;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How one run of a realm follows another, and what is said of it. */
class FeedEpochsTest {
  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final SteppedExecutor own = new SteppedExecutor();
  private final FeedEpochs runs =
      new FeedEpochs(
          new DomainConfig(
              CONTEXT,
              name -> NormalDn.of(name, SmallDirectory.PROFILE),
              type -> false,
              DomainConfig.SETTLE,
              DomainConfig.RING,
              0,
              () -> false,
              FeedKind.SYNCREPL,
              now -> now),
          new DomainContext(
              own,
              own::now,
              new FreshnessGuarantee(now -> true, null, null),
              done -> {},
              (search, found, failed) -> {}),
          new DomainCounters());

  @Test
  void overloadIsLoggedOncePerMinute() {
    runs.warnOverload();
    own.pass(59_000);
    runs.warnOverload();
    assertThat(log.warningsOf("FeedEpochs"))
        .singleElement()
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .startsWith(CONTEXT);
    own.pass(2_000);
    runs.warnOverload();
    assertThat(log.warnings()).hasSize(2);
  }

  @Test
  void aNewEpochHasTheStateOfItsPredecessor() {
    runs.flush();
    assertThat(runs.current()).as("nothing to begin with").isNull();
    runs.begin(upTo(1));
    FeedEpoch first = runs.current();
    assertThat(runs.suspend()).isTrue();
    assertThat(runs.suspend()).isFalse();
    runs.flush();
    assertThat(first.viewState().isOver()).isTrue();
    assertThat(runs.current()).isNotSameAs(first);
    assertThat(runs.state()).isEqualTo(DomainState.SUSPENDED);
    assertThat(runs.isEmpty()).isFalse();
    runs.resume();
    assertThat(runs.state()).isEqualTo(DomainState.LIVE);
    runs.end();
    assertThat(runs.state()).isEqualTo(DomainState.COLD);
    assertThat(runs.isEmpty()).isTrue();
  }

  @Test
  void aCutCountsAsBriefForAMinute() {
    runs.begin(upTo(1));
    assertThat(runs.isInterruptedBriefly()).isFalse();
    runs.suspend();
    own.pass(59_000);
    assertThat(runs.isInterruptedBriefly()).isTrue();
    own.pass(2_000);
    assertThat(runs.isInterruptedBriefly()).isFalse();
  }
}
