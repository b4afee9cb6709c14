// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import com.unboundid.ldap.sdk.Filter;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.feed.connection.FeedConnection;
import io.stoa.feed.syncrepl.FeedCapabilities.Target;
import io.stoa.ldap.csn.PositionReader;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks the connection of a feed by reading the position of the server. A server that does not
 * answer in time is considered dead, even if the directory is quiet.
 *
 * <p>Threading: {@link #send} on the thread of the feed, {@link #onResponse} on the reading thread.
 */
final class Heartbeat {
  private static final int BASE = 0;

  private final byte[] request;
  private final FeedConnection connection;
  private final Consumer<Cookie> listener;
  private int lastSentId;
  private volatile int lastAnsweredId;

  /** The position in the response so far; confined to the reading thread. */
  private Cookie position = Cookie.NONE;

  /**
   * Creates a heartbeat.
   *
   * @param base the naming context
   * @param firstMessageId the messageID before that of the first heartbeat
   * @param listener receives each position of the server on the reading thread; {@link Cookie#NONE}
   *     if the server shows none
   */
  Heartbeat(FeedConnection connection, String base, int firstMessageId, Consumer<Cookie> listener) {
    this.connection = connection;
    this.lastSentId = firstMessageId;
    this.lastAnsweredId = firstMessageId;
    this.listener = listener;
    Filter any = Filter.createPresenceFilter("objectClass");
    this.request = new Target(base, any, List.of(PositionReader.CONTEXT_CSN)).request(BASE);
  }

  /**
   * Sends a heartbeat unless one is unanswered. So the request can always be written, even if the
   * server does not read. An unanswered heartbeat gets a new timeout, because its last one may have
   * been excused.
   *
   * @param executor runs the timeout
   * @param timeout the timeout
   * @param onFailure called on {@code executor} with the reason after the timeout, or at once if
   *     nothing can be sent
   */
  void send(EventExecutor executor, Duration timeout, Consumer<String> onFailure) {
    if (lastAnsweredId == lastSentId) {
      lastSentId++;
      try {
        connection.send(LdapMessage.of(lastSentId, request, List.of()));
      } catch (IOException e) {
        onFailure.accept("heartbeat not sent: " + FailureText.of(e));
        return;
      }
    }
    int number = lastSentId;
    Runnable end = () -> checkAnswered(number, onFailure);
    executor.schedule(end, timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void checkAnswered(int number, Consumer<String> onFailure) {
    if (lastAnsweredId < number) {
      onFailure.accept("heartbeat timed out");
    }
  }

  /** Called for each part of a response. */
  void onResponse(LdapMessage message) throws LdapProtocolException {
    if (message.type() == OpType.SEARCH_RESULT_ENTRY) {
      position = position(SearchEntry.parse(message.copyOp()));
    } else if (message.type() == OpType.SEARCH_RESULT_DONE) {
      lastAnsweredId = message.messageId();
      listener.accept(position);
      position = Cookie.NONE;
    }
  }

  private static Cookie position(SearchEntry entry) {
    List<String> csns = new ArrayList<>();
    for (AttributeOctets attribute : entry.attributes()) {
      if (PositionReader.CONTEXT_CSN.equalsIgnoreCase(text(attribute.type()))) {
        attribute.values().forEach(value -> csns.add(text(value)));
      }
    }
    return csns.isEmpty() ? Cookie.NONE : Cookie.of(csns);
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }

  /**
   * Measures for how long the feed has lagged behind the server.
   *
   * <p>Threading: thread of the feed.
   */
  static final class Lag {
    private @Nullable Cookie missing;
    private long since;

    /**
     * Returns the time for which the feed has lacked a change that the server had, in ns.
     *
     * @param feedPosition how far the feed has come
     * @param position the position of the server
     * @param now the present time, in ns
     */
    long nanos(Cookie feedPosition, Cookie position, long now) {
      Cookie before = missing;
      if (before == null || feedPosition.covers(before)) {
        missing = feedPosition.covers(position) ? null : position;
        since = now;
      }
      return now - since;
    }
  }
}
