// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.coherence.tracking.CoherenceDomains;
import io.stoa.coherence.tracking.FeedCoverage;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.operation.OwnChange;
import io.stoa.routing.directory.DirectorySpec;
import io.stoa.routing.directory.SuffixTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The feeds of all directories. Each feed covers only what its directory is asked for. An answer
 * joined from several directories is held by no feed.
 *
 * <p>Threading: thread-safe.
 */
final class FeedRegistry implements CoherenceDomains, AutoCloseable {
  private final SuffixTable suffixes;

  /** By the number of the directory; only directories with feeds. */
  private final Map<Integer, Feeds> byDirectory;

  /** By the number of the directory; only directories without feeds. */
  private final Map<Integer, AgeOnlyTracking> ageOnly;

  private final String reason;
  private volatile List<ServerProfile> profiles = List.of();

  /**
   * Creates a registry.
   *
   * @param each the directories with feeds, by number
   * @param ageOnly the directories without feeds, by number
   * @param reason the reason why these have none
   */
  FeedRegistry(
      SuffixTable suffixes,
      Map<Integer, Feeds> each,
      Map<Integer, AgeOnlyTracking> ageOnly,
      String reason) {
    this.suffixes = suffixes;
    this.byDirectory = Map.copyOf(each);
    this.ageOnly = Map.copyOf(ageOnly);
    this.reason = reason;
  }

  /** True if no directory has a feed. */
  boolean isEmpty() {
    return byDirectory.isEmpty();
  }

  /**
   * Returns the part of a naming context that a directory is asked for: see {@link
   * Feeds.DirectoryDescriptor}.
   */
  static @Nullable String part(
      SuffixTable suffixes, int number, DirectorySpec spec, String context) {
    byte[] name = context.getBytes(StandardCharsets.UTF_8);
    if (suffixes.of(name) == number) {
      return "";
    }
    return suffixes.holdsAtOrBelow(number, name) ? String.join(" and ", spec.suffixes()) : null;
  }

  /** Sets the schemas of the directories, in their order. */
  void setSchemas(List<ServerProfile> now) {
    profiles = List.copyOf(now);
    byDirectory.forEach((number, feeds) -> feeds.setSchema(now.get(number)));
  }

  /** Called when a write was answered or given up: its duration counts in its directory only. */
  void onWriteEnded(OwnChange change) {
    byDirectory.forEach(
        (number, feeds) -> {
          if (mayHaveDone(number, feeds, change)) {
            feeds.latency().record(change.tookNanos());
          }
        });
  }

  private boolean mayHaveDone(int number, Feeds feeds, OwnChange change) {
    byte[] entry = change.entry();
    Object server = change.server();
    return server == null
        ? entry == null || suffixes.of(entry) == number
        : feeds.isServedBy(server);
  }

  @Override
  public @Nullable FeedCoverage coverageOf(Operation read) {
    RequestOp op = read.request().op();
    byte[] target = op.target();
    if (target == null) {
      return null;
    }
    int directory =
        op instanceof SearchOp search
            ? suffixes.singleDirectory(search.base(), search.scope())
            : suffixes.of(target);
    Feeds feeds = byDirectory.get(directory);
    return feeds == null ? null : feeds.coverageOf(read);
  }

  @Override
  public @Nullable FeedCoverage coverageOf(byte[] entry) {
    Feeds feeds = byDirectory.get(suffixes.of(entry));
    return feeds == null ? null : feeds.coverageOf(entry);
  }

  /** Returns a reader of the entry with the feed's account; null if no feed covers the entry. */
  @Nullable PrivilegedReader reader(byte[] entry) {
    Feeds feeds = byDirectory.get(suffixes.of(entry));
    return feeds == null ? null : feeds.reader(entry);
  }

  @Override
  public Collection<FeedCoverage> writtenBy(OwnChange change) {
    byte[] entry = change.entry();
    List<FeedCoverage> coverages = new ArrayList<>();
    byDirectory.forEach(
        (number, feeds) -> {
          if (entry == null || suffixes.of(entry) == number) {
            coverages.addAll(feeds.all());
          }
        });
    return coverages;
  }

  @Override
  public Collection<FeedCoverage> all() {
    List<FeedCoverage> coverages = new ArrayList<>();
    byDirectory.values().forEach(feeds -> coverages.addAll(feeds.all()));
    return coverages;
  }

  @Override
  public long rightsChanges() {
    return byDirectory.values().stream().mapToLong(Feeds::rightsChanges).sum();
  }

  /** Returns the reason of {@link Feeds#nonLocalReason} for a directory. */
  String nonLocalReason(int directory) {
    Feeds feeds = byDirectory.get(directory);
    return feeds == null ? "there is no feed" : feeds.nonLocalReason();
  }

  /** Returns the status of all feeds, in the order of the directories. */
  List<DomainReport> status() {
    return byDirectory.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .flatMap(one -> one.getValue().status().stream())
        .toList();
  }

  /** Returns everything without a feed, and the reasons, in the order of the directories. */
  List<FeedAbsence> absent() {
    List<ServerProfile> now = profiles;
    List<FeedAbsence> absent = new ArrayList<>();
    for (int number = 0; number < byDirectory.size() + ageOnly.size(); number++) {
      Feeds feeds = byDirectory.get(number);
      AgeOnlyTracking other = ageOnly.get(number);
      if (feeds != null) {
        absent.addAll(feeds.absent());
      } else if (other != null) {
        absent.addAll(other.all(now.isEmpty() ? ServerProfile.EXACT : now.get(number), reason));
      }
    }
    return absent;
  }

  @Override
  public void close() {
    byDirectory.values().forEach(Feeds::close);
  }
}
