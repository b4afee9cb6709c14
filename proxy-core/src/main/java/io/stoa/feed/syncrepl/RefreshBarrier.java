// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import com.unboundid.ldap.sdk.Filter;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.feed.connection.FeedConnection;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.syncrepl.FeedCapabilities.Target;
import io.stoa.feed.transaction.CommitTracker;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits until the server shows what it had counted when a refresh was over: by then every
 * transaction has ended of whose first operations it has told nobody here. Confined to the thread
 * of the feed, but for what hears the answers.
 */
final class RefreshBarrier {
  private static final String STATE = "entryCSN";
  private static final int SUBTREE = 2;

  private final FeedConnection connection;
  private final int messageId;
  private final String base;
  private final EventExecutor timer;
  private final Executor own;
  private final Runnable settled;
  private final Consumer<String> failed;
  private final CommitTracker commits;
  private Supplier<Position> counted = () -> Position.NONE;

  /**
   * Makes it.
   *
   * @param messageId of its questions, of which there is one at a time
   * @param timer the thread of the feed
   * @param then what is to be done
   */
  RefreshBarrier(
      FeedConnection connection, int messageId, Where where, EventExecutor timer, Then then) {
    this.connection = connection;
    this.messageId = messageId;
    this.base = where.base();
    this.timer = timer;
    this.own = then.own();
    this.settled = then.settled();
    this.failed = then.failed();
    this.commits = new CommitTracker(where.context(), InstantSource.system(), System.nanoTime());
  }

  /**
   * What is asked. Immutable.
   *
   * @param base what the feed searches
   * @param context the naming context, as positions name it
   */
  record Where(String base, String context) {}

  /**
   * What is to be done. Immutable.
   *
   * @param own on the thread of the feed, as long as there is one
   * @param settled when all is shown, or nothing has been heard from the server for long
   * @param failed when it cannot be asked
   */
  record Then(Executor own, Runnable settled, Consumer<String> failed) {}

  /**
   * Begins.
   *
   * @param counted how far the server has got that is heard: what it tells meanwhile may be of the
   *     same transaction, so that all of that is to be shown, too
   */
  void begin(Supplier<Position> counted) {
    this.counted = counted;
    commits.begun(counted.get(), System.nanoTime());
    later();
  }

  private void later() {
    timer.schedule(this::look, FeedKind.SETTLE.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void look() {
    commits.begun(counted.get(), System.nanoTime());
    commits.expire(System.nanoTime());
    List<Csn> marks = commits.marks();
    if (marks.isEmpty()) {
      settled.run();
      return;
    }
    List<Filter> any =
        marks.stream().map(csn -> Filter.createGreaterOrEqualFilter(STATE, csn.text())).toList();
    Target target = new Target(base, Filter.createORFilter(any), List.of(STATE));
    try {
      connection.send(LdapMessage.of(messageId, target.request(SUBTREE), List.of()));
    } catch (IOException e) {
      failed.accept("it cannot be asked: " + e.getMessage());
    }
  }

  /** A part of an answer, on the thread that reads. */
  void heard(LdapMessage part) throws LdapProtocolException {
    if (part.type() == OpType.SEARCH_RESULT_ENTRY) {
      Csn state = state(SearchEntry.parse(part.copyOp()));
      if (state != null) {
        own.execute(() -> commits.shown(state, System.nanoTime()));
      }
    } else if (part.type() == OpType.SEARCH_RESULT_DONE) {
      own.execute(this::answered);
    }
  }

  private void answered() {
    if (commits.isOpen()) {
      later();
    } else {
      settled.run();
    }
  }

  private static @Nullable Csn state(SearchEntry entry) {
    for (AttributeOctets attribute : entry.attributes()) {
      byte[] state = attribute.only();
      if (state != null) {
        return Csn.parse(state);
      }
    }
    return null;
  }
}
