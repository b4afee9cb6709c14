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

  private final byte[] question;
  private final FeedConnection connection;
  private final Consumer<Cookie> listener;
  private int sent;
  private volatile int answered;

  /** The position in the response so far; confined to the reading thread. */
  private Cookie position = Cookie.NONE;

  /**
   * Creates a heartbeat.
   *
   * @param base the naming context
   * @param first the messageID before that of the first heartbeat
   * @param receiver receives each position of the server on the reading thread; {@link Cookie#NONE}
   *     if the server shows none
   */
  Heartbeat(FeedConnection connection, String base, int first, Consumer<Cookie> receiver) {
    this.connection = connection;
    this.sent = first;
    this.answered = first;
    this.listener = receiver;
    Filter any = Filter.createPresenceFilter("objectClass");
    this.question = new Target(base, any, List.of(PositionReader.CONTEXT_CSN)).request(BASE);
  }

  /**
   * Sends a heartbeat unless one is unanswered. So the request can always be written, even if the
   * server does not read. An unanswered heartbeat gets a new timeout, because its last one may have
   * been excused.
   *
   * @param own runs the timeout
   * @param patience the timeout
   * @param failed called on {@code own} with the reason after the timeout, or at once if nothing
   *     can be sent
   */
  void send(EventExecutor own, Duration patience, Consumer<String> failed) {
    if (answered == sent) {
      sent++;
      try {
        connection.send(LdapMessage.of(sent, question, List.of()));
      } catch (IOException e) {
        failed.accept("heartbeat not sent: " + FailureText.of(e));
        return;
      }
    }
    int number = sent;
    Runnable end = () -> checkAnswered(number, failed);
    own.schedule(end, patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void checkAnswered(int number, Consumer<String> failed) {
    if (answered < number) {
      failed.accept("heartbeat timed out");
    }
  }

  /** Called for each part of a response. */
  void onResponse(LdapMessage part) throws LdapProtocolException {
    if (part.type() == OpType.SEARCH_RESULT_ENTRY) {
      position = position(SearchEntry.parse(part.copyOp()));
    } else if (part.type() == OpType.SEARCH_RESULT_DONE) {
      answered = part.messageId();
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
     * @param reached how far the feed has come
     * @param counted the position of the server
     * @param now the present time, in ns
     */
    long nanos(Cookie reached, Cookie counted, long now) {
      Cookie before = missing;
      if (before == null || reached.covers(before)) {
        missing = reached.covers(counted) ? null : counted;
        since = now;
      }
      return now - since;
    }
  }
}
