// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Differences between two readings.
 *
 * <p>Threading: immutable.
 *
 * @param before the earlier one
 * @param now the later one
 */
public record Rates(Monitor before, Monitor now) {
  private static final double NANOS = 1e9;
  private static final double NANOS_OF_MILLI = 1e6;

  /** Returns the time between the readings in seconds. */
  public double seconds() {
    return Math.max(1, now.nanos() - before.nanos()) / NANOS;
  }

  /** Returns the operations completed per second, without the readings themselves. */
  public double operations() {
    return Math.max(0, increase(before.base(), now.base(), "opscompleted") - 1) / seconds();
  }

  /** Returns the operations of one kind completed per second; null if there is no such kind. */
  public @Nullable Double operations(String kind) {
    Long count = count(kind, "monitorOpCompleted");
    long ownCount = kind.equals("search") ? 1 : 0;
    return count == null ? null : Math.max(0, count - ownCount) / seconds();
  }

  /**
   * Returns the mean duration in ms of operations of one kind; null if there were none, or if the
   * server does not report it.
   */
  public @Nullable Double millis(String kind) {
    Long count = count(kind, "monitorOpCompleted");
    Long nanos = count(kind, "stoaNanos");
    return count == null || nanos == null || count == 0 || !reportsDuration(kind)
        ? null
        : (Double) (nanos / NANOS_OF_MILLI / count);
  }

  private boolean reportsDuration(String kind) {
    EntryValues entry = now.operations().get(kind);
    return entry != null && entry.number("stoaNanos") != null;
  }

  private @Nullable Long count(String kind, String attribute) {
    EntryValues earlier = before.operations().get(kind);
    EntryValues later = now.operations().get(kind);
    return earlier == null || later == null ? null : (Long) increase(earlier, later, attribute);
  }

  /** Returns the ratio of hits to lookups; null if there were none. */
  public @Nullable Double share(String hits, String misses) {
    long found = increase(before.caches(), now.caches(), hits);
    long total = found + increase(before.caches(), now.caches(), misses);
    return total <= 0 ? null : (Double) ((double) found / total);
  }

  /**
   * Returns the operations that a server has answered per second; null if the earlier reading does
   * not have it.
   */
  public @Nullable Double answers(EntryValues server) {
    return before.backends().stream()
        .filter(one -> Objects.equals(one.dn(), server.dn()))
        .filter(one -> Backends.url(one).equals(Backends.url(server)))
        .findFirst()
        .map(one -> Math.max(0, increase(one, server, "olmCompletedOps")) / seconds())
        .orElse(null);
  }

  private static long increase(EntryValues earlier, EntryValues now, String attribute) {
    return now.count(attribute) - earlier.count(attribute);
  }
}
