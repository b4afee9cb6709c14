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
  private final DirectoryFeedContext context;
  private final PrivilegedReader feedReader;
  private final Map<String, SdkReader> readersByServer = new HashMap<>();
  private boolean closed;

  /**
   * Creates readers.
   *
   * @param feedReader the reader on the server of the feed
   */
  RightsReaders(DirectoryFeedContext context, PrivilegedReader feedReader) {
    this.context = context;
    this.feedReader = feedReader;
  }

  /**
   * Returns readers of the servers that may answer now.
   *
   * @param everyServer false if reading the server of the feed is enough
   */
  synchronized List<RightsWatch.Server> current(boolean everyServer) {
    boolean feedServerOnly = !everyServer || context.servers().singleServer() != null;
    List<RightsWatch.Server> all =
        of(closed || feedServerOnly ? List.of() : context.servers().readServers());
    return feedServerOnly ? List.of(new RightsWatch.Server("", feedReader, true)) : all;
  }

  private List<RightsWatch.Server> of(List<ReadServer> readServers) {
    Set<String> removed = new HashSet<>(readersByServer.keySet());
    List<RightsWatch.Server> servers = new ArrayList<>();
    for (ReadServer readServer : readServers) {
      String name = readServer.server().name();
      removed.remove(name);
      PrivilegedReader reader = readersByServer.computeIfAbsent(name, none -> to(readServer));
      servers.add(new RightsWatch.Server(name, reader, readServer.mayFeed()));
    }
    removed.forEach(this::end);
    return servers;
  }

  private void end(String name) {
    SdkReader reader = readersByServer.remove(name);
    if (reader != null) {
      reader.close();
    }
  }

  private SdkReader to(ReadServer readServer) {
    SdkLink link =
        new SdkLink(
            context.account(),
            context.upstream().get().connectTimeout(),
            context.upstream().get().maxResponse());
    FeedServer server = readServer.server();
    SdkReader reader =
        new SdkReader(link, new EntryConverter(context.secret()), "stoa-rights-reader");
    reader.useServer(server);
    return reader;
  }

  @Override
  public synchronized void close() {
    closed = true;
    readersByServer.values().forEach(SdkReader::close);
    readersByServer.clear();
  }
}
