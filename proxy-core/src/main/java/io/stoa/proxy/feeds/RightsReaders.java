// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.coherence.rights.RightsWatch;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.connection.SdkLink;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.EntryConverter;
import io.stoa.feed.syncrepl.SdkReader;
import io.stoa.proxy.feeds.FeedServers.Answering;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads, as the account of a feed, each of several servers that may answer, on a connection and a
 * thread for each. Where there is one only, the feed comes from that. Thread-safe.
 */
final class RightsReaders implements AutoCloseable {
  private final FeedTerms terms;
  private final PrivilegedReader home;
  private final Map<String, SdkReader> others = new HashMap<>();
  private boolean closed;

  /**
   * Makes it.
   *
   * @param home reads where the feed comes from
   */
  RightsReaders(FeedTerms terms, PrivilegedReader home) {
    this.terms = terms;
    this.home = home;
  }

  /**
   * Those that may answer now.
   *
   * @param each whether it helps to read more than the one from which the feed comes
   */
  synchronized List<RightsWatch.Server> now(boolean each) {
    boolean one = !each || terms.servers().only() != null;
    List<RightsWatch.Server> all = of(closed || one ? List.of() : terms.servers().answering());
    return one ? List.of(new RightsWatch.Server("", home, true)) : all;
  }

  private List<RightsWatch.Server> of(List<Answering> all) {
    Set<String> gone = new HashSet<>(others.keySet());
    List<RightsWatch.Server> servers = new ArrayList<>();
    for (Answering each : all) {
      String name = each.server().name();
      gone.remove(name);
      PrivilegedReader reader = others.computeIfAbsent(name, none -> to(each));
      servers.add(new RightsWatch.Server(name, reader, each.tells()));
    }
    gone.forEach(this::end);
    return servers;
  }

  private void end(String name) {
    SdkReader reader = others.remove(name);
    if (reader != null) {
      reader.close();
    }
  }

  private SdkReader to(Answering each) {
    SdkLink link =
        new SdkLink(
            terms.account(),
            terms.upstream().get().connectTimeout(),
            terms.upstream().get().maxResponse());
    FeedServer server = each.server();
    SdkReader reader =
        new SdkReader(link, new EntryConverter(terms.secret()), "stoa-rights-reader");
    reader.from(server);
    return reader;
  }

  @Override
  public synchronized void close() {
    closed = true;
    others.values().forEach(SdkReader::close);
    others.clear();
  }
}
