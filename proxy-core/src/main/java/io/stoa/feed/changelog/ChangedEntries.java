// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import com.unboundid.ldap.sdk.SearchResultEntry;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.syncrepl.EntryConverter;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads changed entries in batches. Batches shrink where entries are large, to bound the memory
 * held.
 *
 * <p>An entry that cannot be read even alone counts as unknown, so that it does not hold up the
 * others.
 *
 * <p>Threading: thread of the feed.
 */
final class ChangedEntries {
  static final int MAX_BATCH = 50;

  /** Maximum size of one batch: 4 MiB. A single entry may be larger. */
  static final int MAX_BATCH_BYTES = 4 << 20;

  private final SyncContext sync;
  private final EntryConverter converter;
  private final Set<Uuid> unreadable = new HashSet<>();
  private int batchSize = MAX_BATCH;

  ChangedEntries(SyncContext sync) {
    this.sync = sync;
    this.converter = new EntryConverter(sync.secret());
  }

  /** Source of entries. */
  interface EntrySource {
    /**
     * Reads entries.
     *
     * @param found receives each entry that exists
     * @return true if the answer is complete; false if the server's size limit cut it
     */
    boolean read(List<Uuid> wanted, Consumer<SearchResultEntry> found) throws IOException;
  }

  /**
   * The result of one batch.
   *
   * <p>Threading: immutable.
   *
   * @param images the images of entries
   * @param settled the entries that are settled: read, missing or unreadable
   */
  record ReadBatch(Map<Uuid, Image> images, Set<Uuid> settled) {}

  /** Reads one batch: at least the first of the wanted entries. */
  ReadBatch read(Collection<Uuid> wanted, EntrySource source) throws IOException {
    List<Uuid> batch = wanted.stream().distinct().limit(batchSize).toList();
    List<Uuid> readable = batch.stream().filter(one -> !unreadable.contains(one)).toList();
    AnswerCollector collector = new AnswerCollector();
    boolean all = readable.isEmpty() || read(readable, collector, source);
    Set<Uuid> settled = new HashSet<>(batch);
    if (!all || collector.full) {
      settled.removeIf(one -> !unreadable.contains(one) && !collector.images.containsKey(one));
      batchSize = Math.max(1, Math.min(batchSize - 1, collector.images.size()));
    } else if (collector.octets < MAX_BATCH_BYTES / 2) {
      batchSize = Math.min(MAX_BATCH, 2 * batchSize);
    }
    settled.forEach(unreadable::remove);
    return new ReadBatch(collector.images, settled);
  }

  /**
   * Reads a batch. After a failure, entries are read one by one; an entry that fails alone is left
   * out.
   */
  private boolean read(List<Uuid> wanted, AnswerCollector collector, EntrySource source)
      throws IOException {
    boolean read = false;
    try {
      boolean all = source.read(wanted, collector::take);
      read = true;
      return all;
    } finally {
      if (!read && wanted.size() == 1) {
        unreadable.addAll(wanted);
      } else if (!read) {
        batchSize = 1;
      }
    }
  }

  /**
   * Collects one answer.
   *
   * <p>Threading: thread of the feed.
   */
  private final class AnswerCollector {
    private final Map<Uuid, Image> images = new HashMap<>();
    private long octets;
    private boolean full;

    void take(SearchResultEntry found) {
      if (octets >= MAX_BATCH_BYTES) {
        full = true;
        return;
      }
      byte[] op = EntryConverter.encode(found);
      octets += op.length;
      SearchEntry whole = converter.withoutSecrets(op);
      Uuid entry = uuid(found);
      if (entry != null && whole != null) {
        images.put(entry, sync.rules().image(whole));
      }
    }

    private @Nullable Uuid uuid(SearchResultEntry found) {
      String id = found.getAttributeValue(FeedKind.CHANGELOG.uuidAttribute());
      return id == null ? null : Uuid.parse(id.getBytes(StandardCharsets.US_ASCII));
    }
  }
}
