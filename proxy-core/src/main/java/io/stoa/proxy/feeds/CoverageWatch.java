// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.coherence.invalidation.DomainConfig;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs one line when the proof of a feed's coverage has changed for longer than a moment.
 *
 * <p>Threading: event loop.
 */
final class CoverageWatch {
  private static final Logger LOG = LoggerFactory.getLogger(CoverageWatch.class);

  /**
   * Time in ns for which the proof must be missing before that is logged: 10 s. After a start,
   * access rules and entries are read within it.
   */
  private static final long MOMENT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String context;
  private final Supplier<Evidence> evidence;
  private final LongSupplier clock;
  private String seen = "";
  private String logged = "";
  private long since;

  /**
   * Creates a watch.
   *
   * @param clock a monotonic clock, in ns
   */
  CoverageWatch(String context, Supplier<Evidence> evidence, LongSupplier clock) {
    this.context = context;
    this.evidence = evidence;
    this.clock = clock;
    this.since = clock.getAsLong();
  }

  /**
   * The proof that a feed's account sees everything.
   *
   * <p>Threading: immutable.
   *
   * @param kind the kind of the proof, in one word; empty if there is none
   * @param changes the number of reported changes that count as proof
   * @param missing the reason why access rules prove nothing; empty if coverage is proved
   */
  record Evidence(String kind, int changes, String missing) {
    static Evidence proved(String proof) {
      return new Evidence(proof, 0, "");
    }

    static Evidence missing(int confirmedChanges, String reason) {
      return new Evidence("", confirmedChanges, reason);
    }

    private String progress() {
      return changes + " of " + DomainConfig.REQUIRED_CONFIRMATIONS + " changes";
    }

    @Override
    public String toString() {
      return kind.isEmpty() ? progress() + ": " + missing : kind;
    }
  }

  /**
   * Compares the proof with the one logged last.
   *
   * @param live true if the feed is live
   */
  void check(boolean live) {
    Evidence now = evidence.get();
    String kind = now.kind().isEmpty() ? now.missing() : now.kind();
    long time = clock.getAsLong();
    if (!live || !kind.equals(seen)) {
      seen = kind;
      since = time;
    }
    boolean lasts = !now.kind().isEmpty() || time - since >= MOMENT_NANOS;
    if (live && lasts && !kind.equals(logged)) {
      logged = kind;
      logProof(now);
    }
  }

  private void logProof(Evidence now) {
    if (!now.kind().isEmpty()) {
      LOG.info("feed of {}: coverage is complete, proved by {}", context, meaning(now.kind()));
    } else {
      LOG.info(
          "feed of {}: coverage is not proved, so subtree and one-level results "
              + "expire by age: {}; proof by changes so far: {}",
          context,
          now.missing(),
          now.progress());
    }
  }

  private static String meaning(String proof) {
    return switch (proof) {
      case "declared" -> "feed.assumeCoverage";
      case "rules" -> "the access rules in cn=config";
      case "changes" -> DomainConfig.REQUIRED_CONFIRMATIONS + " reported changes";
      default -> "the changelog, which also names hidden entries";
    };
  }
}
