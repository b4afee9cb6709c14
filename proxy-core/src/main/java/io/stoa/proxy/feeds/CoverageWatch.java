// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.coherence.invalidation.RealmConfig;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs one line when the evidence that a feed's account sees everything has become another for
 * longer than a moment. Confined to its event loop.
 */
final class CoverageWatch {
  private static final Logger LOG = LoggerFactory.getLogger(CoverageWatch.class);

  /** Ten seconds: rules of access are read and entries are read back in less after a start. */
  private static final long MOMENT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String context;
  private final Supplier<Evidence> evidence;
  private final LongSupplier clock;
  private String seen = "";
  private String said = "";
  private long since;

  /**
   * Makes it.
   *
   * @param clock in nanoseconds
   */
  CoverageWatch(String context, Supplier<Evidence> evidence, LongSupplier clock) {
    this.context = context;
    this.evidence = evidence;
    this.clock = clock;
    this.since = clock.getAsLong();
  }

  /**
   * The evidence that the account sees everything. Immutable.
   *
   * @param by in a word by what it is proved; empty if it is not
   * @param told how many changes have been told that count as evidence
   * @param missing why it is not proved by rules of access; empty if it is proved
   */
  record Evidence(String by, int told, String missing) {
    static Evidence proved(String by) {
      return new Evidence(by, 0, "");
    }

    static Evidence missing(int told, String why) {
      return new Evidence("", told, why);
    }

    private String progress() {
      return told + " of " + RealmConfig.PROOFS + " changes";
    }

    @Override
    public String toString() {
      return by.isEmpty() ? progress() + ": " + missing : by;
    }
  }

  /**
   * Looks how it is.
   *
   * @param live true if the feed is
   */
  void turn(boolean live) {
    Evidence now = evidence.get();
    String kind = now.by().isEmpty() ? now.missing() : now.by();
    long time = clock.getAsLong();
    if (!live || !kind.equals(seen)) {
      seen = kind;
      since = time;
    }
    boolean lasts = !now.by().isEmpty() || time - since >= MOMENT_NANOS;
    if (live && lasts && !kind.equals(said)) {
      said = kind;
      say(now);
    }
  }

  private void say(Evidence now) {
    if (!now.by().isEmpty()) {
      LOG.info("feed of {}: its account sees everything, by {}", context, meaning(now.by()));
    } else {
      LOG.info(
          "feed of {}: searches that may find other entries have their age, for it is not proved"
              + " that the account sees everything: {}; {} have been told",
          context,
          now.missing(),
          now.progress());
    }
  }

  private static String meaning(String by) {
    return switch (by) {
      case "declared" -> "feed.seesAll";
      case "rules" -> "the rules of access in cn=config";
      case "changes" -> RealmConfig.PROOFS + " changes that were told";
      default -> "the changelog, which names what is hidden, too";
    };
  }
}
