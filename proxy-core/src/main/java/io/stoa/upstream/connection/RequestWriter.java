// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.net.codec.MessageWriter;
import io.stoa.operation.CancelValue;
import io.stoa.operation.Operation;
import io.stoa.upstream.auth.ProxiedControl;
import io.stoa.upstream.auth.SessionTracking;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the requests of one upstream connection. Invariants of a connection of the service
 * account:
 *
 * <ol>
 *   <li>Each client request carries the proxied authorization control that names its client (RFC
 *       4370).
 *   <li>No client bind and no client extended operation is sent.
 *   <li>Stoa's own requests (bind, abandon, unbind) carry no octet of a client. An abandon has no
 *       control: slapd does not accept proxied authorization there, and would not abandon.
 * </ol>
 *
 * <p>Threading: event loop.
 */
public final class RequestWriter {
  private static final Logger LOG = LoggerFactory.getLogger(RequestWriter.class);

  private final MessageWriter writer;
  private boolean service;
  private boolean tracking;
  private boolean maybeProtected;

  RequestWriter(MessageWriter writer) {
    this.writer = writer;
  }

  /** Adds session tracking to all further client requests. */
  void enableTracking() {
    tracking = true;
  }

  /** Marks the connection as bound as the service account. */
  void markService() {
    service = true;
  }

  /**
   * Marks the connection as possibly protected by a SASL security layer. Until the next client
   * request that is not a bind, Stoa sends no request of its own except binds.
   */
  public void markMaybeProtected() {
    maybeProtected = true;
  }

  /** True if a SASL security layer may protect the connection. */
  public boolean isMaybeProtected() {
    return maybeProtected;
  }

  boolean isService() {
    return service;
  }

  /**
   * Sends a client's request. No other method does, except for Cancel requests.
   *
   * @param enter registers the operation and returns its messageID
   * @return false if the request may not be sent here: it was neither registered nor sent
   */
  boolean request(Operation operation, ToIntFunction<Operation> enter) {
    if (service) {
      return requestAsService(operation, enter);
    }
    int messageId = enter.applyAsInt(operation);
    ByteBuf sent = withTracking(operation);
    try {
      write(operation, messageId, sent);
    } finally {
      sent.release();
    }
    return true;
  }

  /**
   * Returns the request body, with session tracking if enabled. The caller releases it; it is valid
   * only while the operation's message is.
   */
  private ByteBuf withTracking(Operation operation) {
    ByteBuf body = operation.message().body();
    return tracking ? SessionTracking.putOn(operation, body) : body.retain();
  }

  private boolean requestAsService(Operation operation, ToIntFunction<Operation> enter) {
    Octets authzId = operation.session().identity().authzId();
    // servers answer extended operations for the identity of the connection, not of the control
    boolean ofConnection =
        operation.type() == OpType.BIND_REQUEST || operation.type() == OpType.EXTENDED_REQUEST;
    if (ofConnection || authzId == null || authzId.length() == 0) {
      return logRefused(operation);
    }
    return requestFor(authzId, operation, enter) || logRefused(operation);
  }

  private boolean requestFor(Octets authzId, Operation operation, ToIntFunction<Operation> enter) {
    ByteBuf named = withProxiedControl(authzId, operation);
    try {
      boolean right = ProxiedControl.isOn(named, authzId);
      if (right) {
        write(operation, enter.applyAsInt(operation), named);
      }
      return right;
    } finally {
      named.release();
    }
  }

  private ByteBuf withProxiedControl(Octets authzId, Operation operation) {
    ByteBuf body = withTracking(operation);
    try {
      return ProxiedControl.putOn(body, operation.message().opLength(), authzId);
    } finally {
      body.release();
    }
  }

  private static boolean logRefused(Operation operation) {
    LOG.error(
        "{} rejected: it must not be sent on a connection of the service account "
            + "(internal error)",
        operation.type());
    return false;
  }

  private void write(Operation operation, int messageId, ByteBuf body) {
    if (operation.type() == OpType.BIND_REQUEST) {
      writer.writeSecret(messageId, body);
    } else {
      maybeProtected = false;
      writer.write(messageId, body);
    }
  }

  /** Sends a Cancel request that names the target by its messageID on this connection. */
  void cancel(PendingOperation cancel, int targetId) {
    if (service) {
      throw new IllegalStateException(
          "a client's Cancel must not be sent on a connection of the service account");
    }
    ByteBuf body = CancelValue.translated(cancel.operation().message(), targetId);
    try {
      writer.write(cancel.messageId(), body);
    } finally {
      body.release();
    }
  }

  /** Sends a bind of Stoa's own. */
  void bind(int messageId, ByteBuf bindRequest) {
    writer.writeSecret(messageId, bindRequest);
  }

  /** Sends a request of Stoa's own, unless a security layer may be in place. */
  void writeOwn(int messageId, byte[] op) {
    if (!maybeProtected) {
      writer.write(messageId, op);
    }
  }

  /** Returns how many times written requests have been flushed. */
  long flushCount() {
    return writer.flushes();
  }

  /**
   * Flushes what was written. With {@code unbind} an unbind request follows, if the server can read
   * it.
   */
  void finish(int messageId, boolean unbind) {
    if (unbind) {
      writeOwn(messageId, OwnRequest.UNBIND);
    }
    writer.flush();
  }

  /**
   * A request of Stoa's own, such as the bind that gives a connection its identity. The callback
   * runs once: with the response, or when the connection ends.
   *
   * <p>Threading: event loop.
   */
  static final class OwnRequest {
    /**
     * Tag of a presence filter, true for each entry with the attribute (RFC 4511, section
     * 4.5.1.7.5).
     */
    private static final int PRESENT = 0x87;

    /** Unbind request (RFC 4511, section 4.3). */
    static final byte[] UNBIND = {0x42, 0};

    /**
     * Base search of the root DSE for no attributes. Every server answers it, and it changes
     * nothing.
     */
    static final byte[] KEEP_ALIVE = keepAlive();

    private final Consumer<@Nullable LdapMessage> outcome;
    private final Future<?> deadline;
    private boolean ended;

    /**
     * Starts the time-out.
     *
     * @param onLate runs if no response arrives in time
     * @param outcome receives the response, without ownership; null if there will be none
     */
    OwnRequest(
        EventExecutor loop, long millis, Runnable onLate, Consumer<@Nullable LdapMessage> outcome) {
      this.outcome = outcome;
      this.deadline = loop.schedule(onLate, millis, TimeUnit.MILLISECONDS);
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

    /** Delivers the response and then releases it. Null means that there will be none. */
    void onResponse(@Nullable LdapMessage answer) {
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
}
