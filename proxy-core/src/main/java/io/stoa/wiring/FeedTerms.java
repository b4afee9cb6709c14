// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.change.FeedKind;
import io.stoa.change.Position;
import io.stoa.change.PositionReader;
import io.stoa.change.PrivilegedReader;
import io.stoa.change.PrivilegedReader.Search;
import io.stoa.coherence.WriteLatency;
import io.stoa.feed.FeedConfig.Account;
import io.stoa.feed.FeedSupervisor;
import io.stoa.feed.Tally;
import io.stoa.ldap.SearchEntry;
import io.stoa.operation.InternalSearch.Terms;
import io.stoa.probe.Probes;
import io.stoa.upstream.UpstreamConfig;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What the feeds of a directory share. Immutable.
 *
 * @param account as whom they read
 * @param upstream what holds now
 * @param secret which attributes are kept nowhere
 * @param told is run whenever something has changed
 * @param loop on which servers are asked how far they have got
 * @param latency how long writes take there
 * @param maxAge how old answers may be that do not rest on a feed
 */
record FeedTerms(
    CoherenceConfig config,
    Account account,
    Supplier<UpstreamConfig> upstream,
    FeedServers servers,
    Probes probes,
    Predicate<byte[]> secret,
    Runnable told,
    EventExecutor loop,
    WriteLatency latency,
    Duration maxAge) {
  private static final String BETTER =
      "; more would rest on it, and sooner, with feed.seesAll: true, if nothing is hidden from its"
          + " account";

  /** How positions name a naming context. */
  String positionName(String context) {
    return context.toLowerCase(Locale.ROOT).replace(" ", "");
  }

  FeedSupervisor.Terms supervision(String context, FeedKind kind) {
    UpstreamConfig now = upstream.get();
    String better = config.proves(kind) ? BETTER : "";
    return new FeedSupervisor.Terms(
        context,
        account,
        now.connectTimeout(),
        config.feed().keepAlive(),
        now.maxResponse(),
        new Tally.Bounds(config.maxStaleness(), maxAge, better));
  }

  /** Asks the server of a feed, as its account, how far it has got; the same. */
  void ask(PrivilegedReader reader, String context, Consumer<Position> told) {
    Search question =
        new Search(
            context.getBytes(StandardCharsets.UTF_8),
            0,
            "(objectClass=*)".getBytes(StandardCharsets.US_ASCII),
            List.of(PositionReader.CONTEXT_CSN));
    reader.search(question, found -> tell(context, found, told), why -> {});
  }

  private void tell(String context, List<SearchEntry> found, Consumer<Position> told) {
    if (found.size() == 1) {
      SearchEntry entry = found.get(0);
      List<byte[]> attributes =
          entry.attributes().stream().map(SearchEntry.AttributeOctets::encoded).toList();
      byte[] op = SearchEntry.encode(entry.dn(), attributes);
      Position position = PositionReader.of(positionName(context), op);
      loop.execute(() -> told.accept(position));
    }
  }

  /** Asks a server how far it has got; the answer comes on the loop, if there is one. */
  void ask(Object server, String context, Consumer<Position> told) {
    Terms question =
        Terms.entry(context.getBytes(StandardCharsets.UTF_8), List.of(PositionReader.CONTEXT_CSN));
    probes.all().stream()
        .filter(probe -> probe.backend() == server)
        .findFirst()
        .ifPresent(
            probe ->
                probe.ask(
                    question,
                    found -> {
                      byte[] entry = found.read();
                      Position position =
                          entry == null
                              ? Position.NONE
                              : PositionReader.of(positionName(context), entry);
                      loop.execute(() -> told.accept(position));
                    }));
  }
}
