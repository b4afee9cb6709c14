// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.feed.event.PrivilegedReader.Search;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.operation.Operation;
import io.stoa.operation.ReadSource;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads entries as the feed's account before and after a client's request for them. If both reads
 * of an entry are equal, the client was answered from the same state. The same holds if both find
 * no entry.
 *
 * <p>Threading: client's event loop.
 */
public final class BracketingRead {
  /** Maximum number of concurrent reads: 16. Other reads of the account must not wait. */
  static final int MAX_CONCURRENT = 16;

  /** Time within which reads are sent: 10 s. The remaining entries stay unknown. */
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final int BASE = 0;
  private static final byte[] ANYTHING = "(objectClass=*)".getBytes(StandardCharsets.US_ASCII);

  private final FeedCoverage coverage;
  private final List<Octets> entries;
  private final Executor loop;
  private final Consumer<Map<Octets, SeenEntry>> unchanged;

  private BracketingRead(
      FeedCoverage coverage,
      List<Octets> entries,
      Executor loop,
      Consumer<Map<Octets, SeenEntry>> unchanged) {
    this.coverage = coverage;
    this.entries = entries;
    this.loop = loop;
    this.unchanged = unchanged;
  }

  /**
   * An entry as the account sees it. Immutable.
   *
   * @param image the contents of the entry; null if the account sees no such entry
   */
  public record SeenEntry(@Nullable Image image) {}

  /** The client's request between the two reads. */
  public interface ClientRequest {
    /** Sends the request. The callback receives the operation, or null if there is no answer. */
    void send(Consumer<@Nullable Operation> done);
  }

  /**
   * Reads the entries, sends the client's request, and reads the entries again.
   *
   * @param entries their DNs
   * @param unchanged receives each entry that was the same in both reads; empty if the feed's
   *     server is not known to have answered the client
   */
  public static void readAround(
      FeedCoverage coverage,
      List<Octets> entries,
      Executor loop,
      ClientRequest request,
      Consumer<Map<Octets, SeenEntry>> unchanged) {
    BracketingRead bracketingRead = new BracketingRead(coverage, entries, loop, unchanged);
    bracketingRead.read(
        before -> request.send(operation -> bracketingRead.readAgain(before, operation)));
  }

  private long now() {
    return coverage.domain().context().clock().getAsLong();
  }

  /**
   * Reads all entries. The result has one entry or none for each DN, and nothing for a DN without
   * an answer.
   */
  private void read(Consumer<Map<Octets, List<SearchEntry>>> receiver) {
    new EntryReads(receiver).sendNext();
  }

  /** One read of all entries. Confined to the client's event loop. */
  private final class EntryReads {
    private final Consumer<Map<Octets, List<SearchEntry>>> receiver;
    private final Map<Octets, List<SearchEntry>> all = new HashMap<>();
    private final Iterator<Octets> remaining = entries.iterator();
    private final long startNanos = now();
    private int openReads;
    private boolean reported;

    EntryReads(Consumer<Map<Octets, List<SearchEntry>>> receiver) {
      this.receiver = receiver;
    }

    private boolean isInTime() {
      return now() - startNanos < TIMEOUT_NANOS;
    }

    void sendNext() {
      while (openReads < MAX_CONCURRENT && remaining.hasNext() && isInTime()) {
        Octets entry = remaining.next();
        openReads++;
        read(entry.array(), found -> onRead(entry, found));
      }
      if (openReads == 0 && !reported) {
        reported = true;
        receiver.accept(all);
      }
    }

    private void onRead(Octets entry, @Nullable List<SearchEntry> found) {
      if (found != null) {
        all.put(entry, found);
      }
      openReads--;
      sendNext();
    }
  }

  private void read(byte[] entry, Consumer<@Nullable List<SearchEntry>> receiver) {
    coverage
        .domain()
        .context()
        .reader()
        .search(
            new Search(entry, BASE, ANYTHING, List.of("*", "+")),
            found -> loop.execute(() -> receiver.accept(found)),
            why -> loop.execute(() -> receiver.accept(null)));
  }

  private void readAgain(Map<Octets, List<SearchEntry>> before, @Nullable Operation operation) {
    ReadSource source = operation == null ? null : coverage.source(operation.sources());
    if (source == null || !coverage.domain().isFeedServer(source.server())) {
      unchanged.accept(Map.of());
    } else {
      read(after -> unchanged.accept(unchangedEntries(before, after)));
    }
  }

  private Map<Octets, SeenEntry> unchangedEntries(
      Map<Octets, List<SearchEntry>> before, Map<Octets, List<SearchEntry>> after) {
    Map<Octets, SeenEntry> same = new HashMap<>();
    before.forEach(
        (entry, entriesBefore) -> {
          List<SearchEntry> entriesAfter = after.get(entry);
          SeenEntry seenEntry =
              entriesAfter == null ? null : unchangedEntry(entriesBefore, entriesAfter);
          if (seenEntry != null) {
            same.put(entry, seenEntry);
          }
        });
    return same;
  }

  private @Nullable SeenEntry unchangedEntry(List<SearchEntry> before, List<SearchEntry> after) {
    if (before.isEmpty() && after.isEmpty()) {
      return new SeenEntry(null);
    }
    boolean same = before.size() == 1 && after.size() == 1 && isSame(before.get(0), after.get(0));
    return same ? new SeenEntry(Image.of(after.get(0), true, coverage.profile())) : null;
  }

  /** True if all shown attributes are equal, among them the entryCSN. */
  private static boolean isSame(SearchEntry before, SearchEntry after) {
    try {
      return answers(before).equals(answers(after));
    } catch (LdapProtocolException e) {
      return false;
    }
  }

  private static ResponseContents answers(SearchEntry entry) throws LdapProtocolException {
    List<byte[]> attributes = entry.attributes().stream().map(AttributeOctets::encoded).toList();
    return ResponseContents.of(0, List.of(SearchEntry.encode(entry.dn(), attributes)));
  }
}
