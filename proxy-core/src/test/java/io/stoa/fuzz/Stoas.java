// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.cache.sharing.SharingConfig;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.coherence.invalidation.DomainState;
import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.testing.Await;
import io.stoa.testing.Leftovers;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ServiceWatch;
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
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** The Stoas before one directory. Confined to the thread of the test. */
final class Stoas {
  /** How a Stoa is set up. */
  enum Kind {
    /** Defaults: what is stored has an age. */
    PLAIN,
    /** It follows a feed. */
    FED,
    /** It follows the accesslog of OpenLDAP. */
    LOGGED,
    /** It follows a feed, and people share what is stored. */
    SHARED,
    /** People share what is stored, which has an age. */
    CLASS,
    /** Writes wait in windows; what is stored has an age. */
    WINDOWED,
    /** It acts for clients by proxied authorization, and writes wait in windows. */
    PROXIED
  }

  /** Oldest answer without a feed. */
  static final Duration AGE = Duration.ofMillis(100);

  /** Oldest answer that rests on a feed. */
  private static final Duration BOUND = Duration.ofMillis(500);

  /** Oldest answer after a change of which no feed tells, such as that of an unknown overlay. */
  private static final Duration UNREPORTED_BOUND = Duration.ofSeconds(1);

  /** Looks until answers rest on the feed: later ones would prove less, but nothing wrong. */
  private static final int MAX_READS = 10;

  private static final Set<Kind> FOLLOWING = Set.of(Kind.FED, Kind.LOGGED, Kind.SHARED);

  static final String FEED_PASSWORD = "feed-Secret";

  private final InetSocketAddress address;
  private final String feed;
  private final Declaration sharing;
  private final Predicate<String> hasFeed;
  private final Path directory = Leftovers.directory("stoa-fuzz");

  /**
   * @param feed DN of the account of the feed
   * @param sharing who shares what
   * @param followed judges a naming context: true if a feed tells of it
   */
  Stoas(InetSocketAddress address, String feed, Declaration sharing, Predicate<String> followed) {
    this.address = address;
    this.feed = feed;
    this.sharing = sharing;
    this.hasFeed = followed;
  }

  /** People that share all attributes below a suffix, but for a few. */
  static Declaration people(String members, String base, String... but) {
    Attributes most = new Attributes(List.of(), List.of(but));
    return new Declaration("people", List.of(members), List.of(), base, most, true);
  }

  List<StoaWithClients> start(List<Kind> kinds, List<Identity> identities) {
    List<StoaWithClients> ways = new ArrayList<>();
    boolean started = false;
    try {
      kinds.forEach(kind -> ways.add(start(kind, identities)));
      ways.forEach(this::awaitLive);
      started = true;
      return ways;
    } finally {
      if (!started) {
        ways.forEach(StoaWithClients::close);
      }
    }
  }

  private StoaWithClients start(Kind kind, List<Identity> identities) {
    String host = address.getAddress().getHostAddress();
    ProxySetup plain =
        ProxySetup.beforeUrls("ldap://" + host + ":" + address.getPort()).maxAge(AGE);
    ProxySetup setup =
        switch (kind) {
          case PLAIN -> plain;
          case FED -> plain.coherence(coherence(FeedConfig.Mode.AUTO));
          case LOGGED -> plain.coherence(coherence(FeedConfig.Mode.ACCESSLOG));
          case SHARED -> shared(plain.coherence(coherence(FeedConfig.Mode.AUTO)));
          case CLASS -> shared(plain);
          case WINDOWED -> plain.windows(window());
          case PROXIED ->
              plain.upstream("identity", ServiceWatch.identity(directory)).windows(window());
        };
    Duration bound = FOLLOWING.contains(kind) ? UNREPORTED_BOUND : AGE;
    return new StoaWithClients(kind.toString(), bound, setup.start(), identities);
  }

  private ProxySetup shared(ProxySetup setup) {
    return setup.cache("sharing", new SharingConfig(List.of(sharing), 1000));
  }

  private static WindowConfig window() {
    return new WindowConfig("all", null, null, Duration.ofMillis(20), 64, Batch.SINGLE, false);
  }

  private CoherenceConfig coherence(FeedConfig.Mode mode) {
    try {
      Path file = Files.writeString(directory.resolve("feed-password"), FEED_PASSWORD + "\n");
      FeedConfig follow =
          new FeedConfig(
              mode,
              feed,
              file,
              List.of(),
              Duration.ofSeconds(1),
              100_000,
              "",
              FeedConfig.Restarts.GAP);
      return new CoherenceConfig(follow, BOUND, UNREPORTED_BOUND, true, DerivedConfig.DEFAULTS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitLive(StoaWithClients way) {
    RunningProxy proxy = way.proxy();
    List<String> contexts = contexts(proxy);
    Await.until(
        "the feeds of " + way + " are live",
        () ->
            proxy.status().feeds().stream()
                .filter(feed -> contexts.contains(feed.context()))
                .allMatch(feed -> feed.domain().state() == DomainState.LIVE));
    try (RawLdapClient client = proxy.client()) {
      boolean rests = false;
      for (int i = 0; i < MAX_READS && !rests; i++) {
        contexts.forEach(context -> client.call(baseSearch(context)));
        long hits = proxy.cache().filterHits();
        LockSupport.parkNanos(AGE.plusMillis(1).toNanos());
        contexts.forEach(context -> client.call(baseSearch(context)));
        rests = proxy.cache().filterHits() >= hits + contexts.size();
      }
    }
  }

  /** The naming contexts that are followed. */
  private List<String> contexts(RunningProxy proxy) {
    return proxy.status().feeds().stream().map(DomainReport::context).filter(hasFeed).toList();
  }

  private static RawRequest baseSearch(String context) {
    return Requests.search(context).baseScope().request();
  }

  /** Removes files; all Stoas are closed before. */
  void close() {
    Leftovers.delete(directory);
  }
}
