// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.coherence.freshness.WriteLatency;
import io.stoa.coherence.invalidation.RealmReport;
import io.stoa.coherence.tracking.CoherenceDomains;
import io.stoa.coherence.tracking.FeedCoverage;
import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.FeedStats;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.net.tls.TlsContext;
import io.stoa.operation.Operation;
import io.stoa.operation.OwnChange;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.connect.UpstreamTransport;
import io.stoa.upstream.health.Probes;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.Backend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The feeds of a directory, one for each of its naming contexts. Thread-safe. */
final class Feeds implements CoherenceDomains, AutoCloseable {
  /** A directory has few; what it has more of rests on its age. */
  private static final int MOST_CONTEXTS = 16;

  /** Trees of the server's own, of which it tells nothing. */
  private static final List<String> OWN_TREES =
      List.of("cn=config", "cn=monitor", "cn=accesslog", "cn=schema", "cn=changelog", "cn=log");

  private static final int BASE = 0;

  private static final Logger LOG = LoggerFactory.getLogger(Feeds.class);

  private final FeedTerms terms;
  private final Place place;
  private volatile List<NamingContextFeed> feeds = List.of();
  private volatile List<NormalDn> contexts = List.of();
  private volatile DirectorySchema known = DirectorySchema.NONE;
  private final AgeOnlyTracking unfed;
  private boolean closed;
  private String saidNone = "";
  private volatile String foreign = "there is no feed yet";

  /**
   * Makes them; none tells of anything before the directory is known.
   *
   * @param account as whom they read
   * @param place where
   */
  Feeds(
      CoherenceConfig config,
      FeedCredentials account,
      Supplier<UpstreamConfig> upstream,
      Place place,
      Around around) {
    this.place = place;
    this.unfed = new AgeOnlyTracking(place, around.maxAge());
    Supplier<UpstreamTransport> transport = () -> upstream.get().transport();
    this.terms =
        new FeedTerms(
            config,
            account,
            upstream,
            new FeedServers(place.branch(), transport, around.tls()),
            around.probes(),
            around.secret(),
            around.told(),
            around.loop(),
            new WriteLatency(System::nanoTime),
            around.maxAge(),
            around.kept());
    place.branch().onPart(server -> review());
  }

  /** None begins meanwhile, by servers that it was told of before. */
  private synchronized void review() {
    feeds.forEach(NamingContextFeed::review);
  }

  /**
   * One of the directories. Immutable.
   *
   * @param title by which people know it
   * @param named for people, to tell it from others; empty if there are no others
   * @param branch its servers
   * @param part what of a naming context it is asked for, for people: empty for all of it; null if
   *     it is never asked for anything there
   */
  record Place(
      String title, String named, ServerGroup branch, Function<String, @Nullable String> part) {
    /** Its naming contexts, without what it does not tell of and is not asked for. */
    List<String> contexts(DirectorySchema known) {
      return known.profile().contextNames().stream()
          .filter(name -> !OWN_TREES.contains(name.toLowerCase(Locale.ROOT)))
          .filter(name -> part.apply(name) != null)
          .toList();
    }

    /** Where another directory has a naming context of that name, too, each holds a part of it. */
    String called(String context) {
      String own = part.apply(context);
      return own == null || own.isEmpty() ? context : context + " for " + own;
    }
  }

  /**
   * What feeds find around them. Immutable.
   *
   * @param secret which attributes are kept nowhere
   * @param told is run whenever something has changed
   * @param loop on which servers are asked how far they have got
   * @param maxAge how old answers may be that do not rest on a feed
   * @param tls how servers are spoken to inside TLS; null if none is
   * @param kept keeps how many changes were told, for the next start
   */
  record Around(
      Probes probes,
      Predicate<byte[]> secret,
      Runnable told,
      EventExecutor loop,
      Duration maxAge,
      @Nullable TlsContext tls,
      ToldFile kept) {}

  /** How long writes take in this directory. */
  WriteLatency latency() {
    return terms.latency();
  }

  /** Whether a server is one of this directory. */
  boolean isServedBy(Object server) {
    return place.branch().backends().stream().anyMatch(backend -> backend == server);
  }

  /**
   * Why entries may not be shown as databases of the servers hold them; empty if it is proved that
   * they are. While no server can be used, the last proof stands: nothing is read, and what is
   * stored may be served by the administrator's word.
   */
  String foreign() {
    if (place.branch().backends().stream().anyMatch(Backend::usable)) {
      List<NamingContextFeed> all = feeds;
      foreign =
          all.isEmpty()
              ? "there is no feed"
              : all.stream()
                  .map(NamingContextFeed::foreign)
                  .filter(Objects::nonNull)
                  .findFirst()
                  .orElse("");
    }
    return foreign;
  }

  /** What is known of the directory has changed, or is known for the first time. */
  synchronized void know(DirectorySchema next) {
    if (closed) {
      return;
    }
    FeedKind kind = kind(next);
    List<String> wanted =
        kind == null || !next.rules().isKnown()
            ? List.of()
            : trees(next).stream().limit(MOST_CONTEXTS).toList();
    sayIfNone(next);
    List<NamingContextFeed> kept = new ArrayList<>();
    for (NamingContextFeed feed : feeds) {
      if (wanted.contains(feed.context()) && feed.kind() == kind) {
        feed.know(next);
        kept.add(feed);
      }
    }
    if (kind != null) {
      wanted.stream()
          .filter(name -> kept.stream().noneMatch(feed -> feed.context().equals(name)))
          .forEach(name -> kept.add(new NamingContextFeed(name, kind, terms, next)));
    }
    known = next;
    contexts = next.profile().namingContexts();
    List<NamingContextFeed> before = feeds;
    feeds = List.copyOf(kept);
    before.stream().filter(feed -> !kept.contains(feed)).forEach(NamingContextFeed::retire);
  }

  private @Nullable FeedKind kind(DirectorySchema known) {
    return FeedSource.of(known.profile().kind(), terms.config().feed().mode());
  }

  /** All that hold entries of the directory. */
  private List<String> trees(DirectorySchema known) {
    String log = terms.config().feed().accesslog();
    return place.contexts(known).stream().filter(name -> !name.equalsIgnoreCase(log)).toList();
  }

  /** Of a directory that is not known yet nothing is to be said. */
  private void sayIfNone(DirectorySchema next) {
    String why = absence(next);
    boolean known = next.profile().kind() != ServerKind.UNKNOWN;
    if (known && !why.isEmpty() && !why.equals(saidNone)) {
      saidNone = why;
      LOG.warn("no feed{}: {}; {}", place.named(), why, FeedStats.ages(terms.maxAge()));
    }
  }

  /** Why the directory has no feed at all; empty if it has one. */
  private String absence(DirectorySchema known) {
    ServerKind servers = known.profile().kind();
    if (servers == ServerKind.UNKNOWN) {
      return "it is not known what directory this is: no server has shown its root DSE, which is"
          + " asked for anonymously";
    }
    if (kind(known) == null) {
      String mode = terms.config().feed().mode().name().toLowerCase(Locale.ROOT);
      return "by feed.mode " + mode + " there is none for " + servers;
    }
    if (!known.rules().isKnown()) {
      return "the schema cannot be read anonymously, so it is not known how filters match: let"
          + " everybody read the entry that subschemaSubentry of the root DSE names";
    }
    return trees(known).isEmpty() ? "the root DSE names no naming context" : "";
  }

  /** What has none, and why. */
  List<FeedAbsence> absent() {
    DirectorySchema now = known;
    String why = absence(now);
    return why.isEmpty()
        ? unfed.these(
            trees(now).stream().skip(MOST_CONTEXTS).toList(),
            "only the first " + MOST_CONTEXTS + " naming contexts have feeds")
        : unfed.all(now, why);
  }

  @Override
  public @Nullable FeedCoverage of(Operation read) throws LdapProtocolException {
    RequestOp op = read.request().op();
    byte[] target = op.target();
    NormalDn base = target == null ? null : known.name(target);
    boolean below = op instanceof SearchOp search && search.scope() != BASE;
    return base == null || (below && holdsAnother(base)) ? null : holding(base);
  }

  /** Whether another naming context begins below: a search goes on there. */
  private boolean holdsAnother(NormalDn base) {
    return contexts.stream()
        .anyMatch(context -> context.isBelowOrEqual(base) && !base.isBelowOrEqual(context));
  }

  @Override
  public @Nullable FeedCoverage of(byte[] entry) {
    return holding(known.name(entry));
  }

  private @Nullable FeedCoverage holding(NormalDn entry) {
    NamingContextFeed feed = feed(entry);
    return feed == null ? null : feed.ground();
  }

  /** As the account of the feed an entry is read like this; null if no feed tells of it. */
  @Nullable PrivilegedReader reader(byte[] entry) {
    NamingContextFeed feed = feed(known.name(entry));
    return feed == null ? null : feed.reader();
  }

  /** That of the deepest naming context. */
  private @Nullable NamingContextFeed feed(NormalDn entry) {
    NamingContextFeed deepest = null;
    int depth = -1;
    for (NamingContextFeed feed : feeds) {
      NormalDn context = known.name(feed.base());
      if (entry.isBelowOrEqual(context) && context.depth() > depth) {
        deepest = feed;
        depth = context.depth();
      }
    }
    return deepest;
  }

  @Override
  public Collection<FeedCoverage> writtenBy(OwnChange change) {
    return all();
  }

  @Override
  public Collection<FeedCoverage> all() {
    return feeds.stream().map(NamingContextFeed::ground).toList();
  }

  /** How they are. */
  List<RealmReport> status() {
    return feeds.stream()
        .map(NamingContextFeed::report)
        .map(it -> it.named(place.called(it.context())))
        .toList();
  }

  @Override
  public synchronized void close() {
    closed = true;
    feeds.forEach(NamingContextFeed::close);
    feeds = List.of();
  }
}
