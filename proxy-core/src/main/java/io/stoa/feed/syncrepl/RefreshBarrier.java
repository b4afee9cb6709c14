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
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits until the server shows every change that its contextCSN counted when a refresh ended.
 *
 * <p>By then, each transaction is over that had operations before the feed began. The server does
 * not report those operations to this feed.
 *
 * <p>Threading: thread of the feed, except {@link #onResponse}, which is called on the reading
 * thread.
 */
final class RefreshBarrier {
  private static final String STATE = "entryCSN";
  private static final int SUBTREE = 2;

  private final FeedConnection connection;
  private final int messageId;
  private final String base;
  private final EventExecutor timer;
  private final Executor executor;
  private final Runnable onSettled;
  private final Consumer<String> onFailure;
  private final CommitTracker commits;
  private Supplier<Position> serverPosition = () -> Position.NONE;

  /**
   * Creates a barrier that has not begun.
   *
   * @param connection the connection of the feed
   * @param messageId the messageID of its searches; at most one is in flight
   * @param scope the scope of its searches
   * @param timer the thread of the feed
   * @param callbacks the callbacks
   */
  RefreshBarrier(
      FeedConnection connection,
      int messageId,
      FeedScope scope,
      EventExecutor timer,
      Callbacks callbacks) {
    this.connection = connection;
    this.messageId = messageId;
    this.base = scope.base();
    this.timer = timer;
    this.executor = callbacks.own();
    this.onSettled = callbacks.settled();
    this.onFailure = callbacks.failed();
    this.commits = new CommitTracker(scope.context(), InstantSource.system(), System.nanoTime());
  }

  /**
   * The scope of the barrier's searches.
   *
   * <p>Threading: immutable.
   *
   * @param base the base that the feed searches
   * @param context the naming context, as named in positions
   */
  record FeedScope(String base, String context) {}

  /**
   * The callbacks of a barrier.
   *
   * <p>Threading: immutable.
   *
   * @param own the executor of the feed's thread, while the connection lasts
   * @param settled called when everything is shown, or after the server has counted nothing new for
   *     {@link CommitTracker#PATIENCE}
   * @param failed called with the reason when no search can be sent
   */
  record Callbacks(Executor own, Runnable settled, Consumer<String> failed) {}

  /**
   * Begins to wait.
   *
   * @param position the position of the server as received so far. Changes that arrive meanwhile
   *     may belong to the same transactions, so they must be shown too
   */
  void begin(Supplier<Position> position) {
    this.serverPosition = position;
    commits.onBegin(position.get(), System.nanoTime());
    schedulePoll();
  }

  private void schedulePoll() {
    timer.schedule(this::poll, FeedKind.SETTLE.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void poll() {
    commits.onBegin(serverPosition.get(), System.nanoTime());
    commits.expire(System.nanoTime());
    List<Csn> marks = commits.marks();
    if (marks.isEmpty()) {
      onSettled.run();
      return;
    }
    List<Filter> filters =
        marks.stream().map(csn -> Filter.createGreaterOrEqualFilter(STATE, csn.text())).toList();
    Target target = new Target(base, Filter.createORFilter(filters), List.of(STATE));
    try {
      connection.send(LdapMessage.of(messageId, target.request(SUBTREE), List.of()));
    } catch (IOException e) {
      onFailure.accept("search not sent: " + FailureText.of(e));
    }
  }

  /** Called on the reading thread for each part of a response. */
  void onResponse(LdapMessage message) throws LdapProtocolException {
    if (message.type() == OpType.SEARCH_RESULT_ENTRY) {
      Csn state = state(SearchEntry.parse(message.copyOp()));
      if (state != null) {
        executor.execute(() -> commits.onShown(state, System.nanoTime()));
      }
    } else if (message.type() == OpType.SEARCH_RESULT_DONE) {
      executor.execute(this::onPolled);
    }
  }

  private void onPolled() {
    if (commits.isOpen()) {
      schedulePoll();
    } else {
      onSettled.run();
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
