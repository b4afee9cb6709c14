// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.feed.event.PrivilegedReader;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.sim.StatelessRandom.Stream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Reads one server as the identity of the feed. Thread-confined. */
final class SimReader implements PrivilegedReader {
  private final VirtualTime time;
  private final Faults faults;
  private final SimServer server;
  private final Executor loop;
  private final SplittableRandom random;

  /**
   * Makes it.
   *
   * @param loop where answers are heard
   */
  SimReader(VirtualTime time, Faults faults, SimServer server, Executor loop) {
    this.time = time;
    this.faults = faults;
    this.server = server;
    this.loop = loop;
    this.random = faults.draws().of(Stream.FEED, 1);
  }

  @Override
  public void search(
      Search search, Consumer<List<SearchEntry>> found, Consumer<ReadFailure> failed) {
    SimSearch question =
        new SimSearch(
            faults.feedIdentity(),
            text(search.base()),
            search.scope(),
            text(search.filter()),
            search.attributes());
    long asked = time.now();
    long back = Faults.way(random);
    time.after(
        Faults.way(random),
        () -> {
          SimServer.ServerAnswer answered = server.answer(question, time.now());
          boolean cut = faults.now(Fault.FEED_CUT, time.now());
          time.after(
              back,
              () ->
                  loop.execute(
                      () -> {
                        server.timeline().notices().onFeedRead(question.filter(), asked);
                        if (cut) {
                          failed.accept(ReadFailure.withoutResult("there is no connection"));
                        } else {
                          found.accept(parsed(answered, search.attributes()));
                        }
                      }));
        });
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }

  private List<SearchEntry> parsed(SimServer.ServerAnswer answered, List<String> wanted) {
    SimTree tree = server.timeline().tree(answered.state());
    List<SearchEntry> entries = new ArrayList<>();
    for (Map.Entry<String, String> one : answered.entries().entrySet()) {
      try {
        SearchEntry entry = SearchEntry.parse(one.getValue().getBytes(StandardCharsets.ISO_8859_1));
        entries.add(wanted.contains("+") ? counted(entry, tree.isLeaf(one.getKey())) : entry);
      } catch (LdapProtocolException e) {
        throw new AssertionError("the stored octets are no entry", e);
      }
    }
    return entries;
  }

  private static SearchEntry counted(SearchEntry entry, boolean leaf) throws LdapProtocolException {
    List<byte[]> attributes = new ArrayList<>();
    entry.attributes().forEach(one -> attributes.add(one.encoded()));
    attributes.add(SimSchema.attribute(SimTree.SUBORDINATES, List.of(leaf ? "FALSE" : "TRUE")));
    return SearchEntry.parse(SearchEntry.encode(entry.dn(), attributes));
  }
}
