// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.stoa.ldap.BerReader;
import io.stoa.ldap.BerWriter;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.OpType;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request of Stoa's own on a connection, such as the bind that gives it its identity. It is
 * answered once, or the connection ends. Event-loop confined.
 */
final class OwnRequest {
  /** A filter that is true of every entry with the attribute (RFC 4511, section 4.5.1.7.5). */
  private static final int PRESENT = 0x87;

  /** RFC 4511, section 4.3. */
  static final byte[] UNBIND = {0x42, 0};

  /** A search for no attribute of the root DSE: what every server answers, and nothing changes. */
  static final byte[] KEEP_ALIVE = keepAlive();

  private final Consumer<@Nullable LdapMessage> outcome;
  private final Future<?> deadline;
  private boolean ended;

  /**
   * Begins to wait for the answer.
   *
   * @param late what is done if none comes in time
   * @param outcome hears the answer, which it does not own, or null if there will be none
   */
  OwnRequest(
      EventExecutor loop, long millis, Runnable late, Consumer<@Nullable LdapMessage> outcome) {
    this.outcome = outcome;
    this.deadline = loop.schedule(late, millis, TimeUnit.MILLISECONDS);
  }

  private static byte[] keepAlive() {
    BerWriter writer = new BerWriter();
    int search = writer.begin(OpType.SEARCH_REQUEST.tag());
    writer.octets(BerReader.OCTET_STRING, new byte[0]);
    writer.integer(BerReader.ENUMERATED, 0).integer(BerReader.ENUMERATED, 0);
    writer.integer(BerReader.INTEGER, 0).integer(BerReader.INTEGER, 0);
    writer.bool(BerReader.BOOLEAN, false);
    writer.octets(PRESENT, "objectClass".getBytes(StandardCharsets.US_ASCII));
    int attributes = writer.begin(BerReader.SEQUENCE);
    writer.octets(BerReader.OCTET_STRING, "1.1".getBytes(StandardCharsets.US_ASCII));
    return writer.end(attributes).end(search).toByteArray();
  }

  /** The answer, which is released after; null if there will be none. */
  void answered(@Nullable LdapMessage answer) {
    deadline.cancel(false);
    try {
      if (!ended) {
        ended = true;
        outcome.accept(answer);
      }
    } finally {
      if (answer != null) {
        answer.release();
      }
    }
  }
}
