// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.event.PrivilegedReader.Search;
import io.stoa.feed.transaction.CommitTracker;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Waits, as the feed's own {@code Settling} does, until the server shows what it had counted when a
 * feed went on. Thread-confined.
 */
final class SimRefreshBarrier {
  private static final int SUBTREE = 2;
  private static final String STATE = "entryCSN";

  private final VirtualTime time;
  private final PrivilegedReader reader;
  private final Supplier<Position> counted;
  private final CommitTracker commits;
  private final BooleanSupplier ended;
  private final Runnable onSettled;

  /**
   * Makes it.
   *
   * @param counted how far the server has got that is heard
   * @param over whether nobody waits any more
   */
  SimRefreshBarrier(
      VirtualTime time,
      PrivilegedReader reader,
      Supplier<Position> counted,
      BooleanSupplier over,
      Runnable then) {
    this.time = time;
    this.reader = reader;
    this.counted = counted;
    this.ended = over;
    this.onSettled = then;
    this.commits = new CommitTracker(SimNames.SUFFIX, InstantSource.system(), time.now());
  }

  void begin() {
    commits.onBegin(counted.get(), time.now());
    scheduleCheck();
  }

  private void scheduleCheck() {
    time.after(FeedKind.SETTLE.toNanos(), this::check);
  }

  private void check() {
    if (ended.getAsBoolean()) {
      return;
    }
    commits.onBegin(counted.get(), time.now());
    commits.expire(time.now());
    List<Csn> marks = commits.marks();
    if (marks.isEmpty()) {
      onSettled.run();
      return;
    }
    String any =
        marks.stream().map(FeedKind.SYNCREPL::changedSinceFilter).collect(Collectors.joining());
    byte[] base = SimNames.SUFFIX.getBytes(StandardCharsets.UTF_8);
    byte[] filter = ("(|" + any + ")").getBytes(StandardCharsets.UTF_8);
    reader.search(
        new Search(base, SUBTREE, filter, List.of(STATE)), this::onEntries, why -> scheduleCheck());
  }

  private void onEntries(List<SearchEntry> found) {
    found.stream()
        .flatMap(entry -> entry.attributes().stream())
        .forEach(
            attribute -> {
              Csn state = state(attribute);
              if (state != null) {
                commits.onShown(state, time.now());
              }
            });
    if (commits.isOpen()) {
      scheduleCheck();
    } else if (!ended.getAsBoolean()) {
      onSettled.run();
    }
  }

  private static @Nullable Csn state(AttributeOctets attribute) {
    byte[] state = attribute.only();
    return state == null ? null : Csn.parse(state);
  }
}
