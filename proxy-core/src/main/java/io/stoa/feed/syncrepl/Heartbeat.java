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
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks on the connection of a feed how far the server has got: whoever does not answer in time is
 * not there any more, however quiet a directory may be. Confined to the thread of the feed where it
 * asks, and to the one that reads where it hears.
 */
final class Heartbeat {
  private static final int BASE = 0;

  private final byte[] question;
  private final FeedConnection connection;
  private final Consumer<Cookie> told;
  private int asked;
  private volatile int answered;

  /** Of the answer that comes; confined to the thread that reads. */
  private Cookie position = Cookie.NONE;

  /**
   * Makes it.
   *
   * @param base the naming context
   * @param first the messageID of the first question is the next one
   * @param told hears what the server says, on the thread that reads; perhaps that it says nothing
   */
  Heartbeat(FeedConnection connection, String base, int first, Consumer<Cookie> told) {
    this.connection = connection;
    this.asked = first;
    this.answered = first;
    this.told = told;
    Filter any = Filter.createPresenceFilter("objectClass");
    this.question = new Target(base, any, List.of(PositionReader.CONTEXT_CSN)).request(BASE);
  }

  /**
   * Asks once more, unless it still waits: so much can always be written, whether or not the server
   * reads. What it waits for has as long once more: that there was no answer may have been excused.
   *
   * @param own on which it is waited for the answer
   * @param failed hears there that there was none in time, or at once that nothing can be asked
   */
  void ask(EventExecutor own, Duration patience, Consumer<String> failed) {
    if (answered == asked) {
      asked++;
      try {
        connection.send(LdapMessage.of(asked, question, List.of()));
      } catch (IOException e) {
        failed.accept("it cannot be asked: " + e.getMessage());
        return;
      }
    }
    int number = asked;
    Runnable end = () -> expect(number, failed);
    own.schedule(end, patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void expect(int number, Consumer<String> failed) {
    if (answered < number) {
      failed.accept("it does not answer in time");
    }
  }

  /** A part of an answer. */
  void heard(LdapMessage part) throws LdapProtocolException {
    if (part.type() == OpType.SEARCH_RESULT_ENTRY) {
      position = position(SearchEntry.parse(part.copyOp()));
    } else if (part.type() == OpType.SEARCH_RESULT_DONE) {
      answered = part.messageId();
      told.accept(position);
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

  /** What the server has and the feed lacks. Confined to the thread of the feed. */
  static final class Lack {
    private @Nullable Cookie missing;
    private long since;

    /**
     * For how long the feed has lacked something that the server had, in nanoseconds.
     *
     * @param reached how far the feed has come
     * @param counted how far the server has got
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
