// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.coherence.rights.RightsWatch;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.connection.SdkLink;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.EntryConverter;
import io.stoa.feed.syncrepl.SdkReader;
import io.stoa.proxy.feeds.FeedServers.ReadServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Readers of all servers that may answer, with the account of a feed. Each has a connection and a
 * thread of its own. A single server is read by the feed's reader.
 *
 * <p>Threading: thread-safe.
 */
final class RightsReaders implements AutoCloseable {
  private final DirectoryFeedContext terms;
  private final PrivilegedReader feedReader;
  private final Map<String, SdkReader> others = new HashMap<>();
  private boolean closed;

  /**
   * Creates readers.
   *
   * @param home the reader on the server of the feed
   */
  RightsReaders(DirectoryFeedContext terms, PrivilegedReader home) {
    this.terms = terms;
    this.feedReader = home;
  }

  /**
   * Returns readers of the servers that may answer now.
   *
   * @param each false if reading the server of the feed is enough
   */
  synchronized List<RightsWatch.Server> current(boolean each) {
    boolean one = !each || terms.servers().singleServer() != null;
    List<RightsWatch.Server> all = of(closed || one ? List.of() : terms.servers().readServers());
    return one ? List.of(new RightsWatch.Server("", feedReader, true)) : all;
  }

  private List<RightsWatch.Server> of(List<ReadServer> all) {
    Set<String> gone = new HashSet<>(others.keySet());
    List<RightsWatch.Server> servers = new ArrayList<>();
    for (ReadServer each : all) {
      String name = each.server().name();
      gone.remove(name);
      PrivilegedReader reader = others.computeIfAbsent(name, none -> to(each));
      servers.add(new RightsWatch.Server(name, reader, each.mayFeed()));
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

  private SdkReader to(ReadServer each) {
    SdkLink link =
        new SdkLink(
            terms.account(),
            terms.upstream().get().connectTimeout(),
            terms.upstream().get().maxResponse());
    FeedServer server = each.server();
    SdkReader reader =
        new SdkReader(link, new EntryConverter(terms.secret()), "stoa-rights-reader");
    reader.useServer(server);
    return reader;
  }

  @Override
  public synchronized void close() {
    closed = true;
    others.values().forEach(SdkReader::close);
    others.clear();
  }
}
