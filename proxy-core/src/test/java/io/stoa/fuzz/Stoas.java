// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.access.AccessClass.Attributes;
import io.stoa.access.Declaration;
import io.stoa.access.SharingConfig;
import io.stoa.derive.DerivedConfig;
import io.stoa.feed.FeedConfig;
import io.stoa.realm.RealmState;
import io.stoa.testing.Await;
import io.stoa.testing.Leftovers;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ServiceWatch;
import io.stoa.wiring.CoherenceConfig;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowConfig.Batch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The Stoas before one directory. Confined to the thread of the test. */
final class Stoas {
  /** How a Stoa is set up. */
  enum Kind {
    /** Defaults: what is stored has an age. */
    PLAIN,
    /** It follows a feed. */
    FED,
    /** It follows a feed, and people share what is stored. */
    SHARED,
    /** It acts for clients by proxied authorization, and writes wait in windows. */
    PROXIED
  }

  /** What is stored is given for so long without a feed; and after a change of rights. */
  private static final Duration AGE = Duration.ofMillis(500);

  /** The bound of what rests on a feed. */
  private static final Duration BOUND = Duration.ofSeconds(1);

  static final String FEED_PASSWORD = "feed-Secret";

  private final InetSocketAddress address;
  private final List<Identity> identities;
  private final String feed;
  private final Declaration sharing;
  private final Path directory = Leftovers.directory("stoa-fuzz");

  /**
   * @param feed DN of the account of the feed
   * @param sharing who shares what
   */
  Stoas(InetSocketAddress address, List<Identity> identities, String feed, Declaration sharing) {
    this.address = address;
    this.identities = identities;
    this.feed = feed;
    this.sharing = sharing;
  }

  /** People that share all attributes below a suffix, but for a few. */
  static Declaration people(String members, String base, String... but) {
    Attributes most = new Attributes(List.of(), List.of(but));
    return new Declaration("people", List.of(members), List.of(), base, most, true);
  }

  List<Way> start(List<Kind> kinds) {
    List<Way> ways = new ArrayList<>();
    boolean started = false;
    try {
      kinds.forEach(kind -> ways.add(start(kind)));
      ways.forEach(Stoas::awaitLive);
      started = true;
      return ways;
    } finally {
      if (!started) {
        ways.forEach(Way::close);
      }
    }
  }

  private Way start(Kind kind) {
    String host = address.getAddress().getHostAddress();
    ProxySetup plain =
        ProxySetup.beforeUrls("ldap://" + host + ":" + address.getPort()).maxAge(AGE);
    return switch (kind) {
      case PLAIN -> way(kind, AGE, plain);
      case FED -> way(kind, BOUND, plain.coherence(coherence()));
      case SHARED ->
          way(
              kind,
              BOUND,
              plain
                  .coherence(coherence())
                  .cache("sharing", new SharingConfig(List.of(sharing), 1000)));
      case PROXIED ->
          way(
              kind,
              AGE,
              plain
                  .upstream("identity", ServiceWatch.identity(directory))
                  .windows(
                      new WindowConfig(
                          "all", null, null, Duration.ofMillis(20), 64, Batch.SINGLE, false)));
    };
  }

  private Way way(Kind kind, Duration bound, ProxySetup setup) {
    return new Way(kind.toString(), bound, setup.start(), identities);
  }

  private CoherenceConfig coherence() {
    try {
      Path file = Files.writeString(directory.resolve("feed-password"), FEED_PASSWORD + "\n");
      FeedConfig follow =
          new FeedConfig(FeedConfig.Mode.AUTO, feed, file, Duration.ofSeconds(1), 100_000);
      return new CoherenceConfig(follow, BOUND, AGE, true, DerivedConfig.DEFAULTS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void awaitLive(Way way) {
    RunningProxy proxy = way.proxy();
    Await.until(
        "the feeds of " + way + " are live",
        () ->
            proxy.status().feeds().stream()
                .allMatch(feed -> feed.realm().state() == RealmState.LIVE));
  }

  /** Removes files; all Stoas are closed before. */
  void close() {
    Leftovers.delete(directory);
  }
}
