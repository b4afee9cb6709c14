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
 * What goes out on one upstream connection. Once the connection is the service account's, no
 * request of a client leaves it without the control that names the client (RFC 4370), and no bind
 * at all. Requests of Stoa's own (its bind, abandon, unbind) carry no octet of a client. An abandon
 * has no control: slapd does not take this one there, and would not abandon. Event-loop confined.
 */
public final class RequestWriter {
  private static final Logger LOG = LoggerFactory.getLogger(RequestWriter.class);

  private final MessageWriter writer;
  private boolean service;
  private boolean tracking;
  private boolean opaque;

  RequestWriter(MessageWriter writer) {
    this.writer = writer;
  }

  /** From now on requests of clients say for whom they are sent. */
  void track() {
    tracking = true;
  }

  /** From now on the connection acts as the service account. */
  void becomeService() {
    service = true;
  }

  /**
   * A security layer may hide what is sent, until a request of a client is sent that needs none:
   * nothing of Stoa's own may be sent meanwhile.
   */
  public void becomeOpaque() {
    opaque = true;
  }

  /** Whether a security layer may hide what is sent. */
  public boolean isOpaque() {
    return opaque;
  }

  boolean isService() {
    return service;
  }

  /**
   * Sends a client's request; the only way for one.
   *
   * @param enter makes it known to the connection, and says under which messageID it goes
   * @return false if it may not go this way: it was neither entered nor sent
   */
  boolean request(Operation operation, ToIntFunction<Operation> enter) {
    if (service) {
      return requestAsService(operation, enter);
    }
    int messageId = enter.applyAsInt(operation);
    ByteBuf sent = tracked(operation);
    try {
      write(operation, messageId, sent);
    } finally {
      sent.release();
    }
    return true;
  }

  /** To be released; valid as long as the operation's message is. */
  private ByteBuf tracked(Operation operation) {
    ByteBuf body = operation.message().body();
    return tracking ? SessionTracking.putOn(operation, body) : body.retain();
  }

  private boolean requestAsService(Operation operation, ToIntFunction<Operation> enter) {
    Octets authzId = operation.session().identity().authzId();
    // servers answer extended operations as whom the connection is bound
    boolean ofConnection =
        operation.type() == OpType.BIND_REQUEST || operation.type() == OpType.EXTENDED_REQUEST;
    if (ofConnection || authzId == null || authzId.length() == 0) {
      return refused(operation);
    }
    return requestFor(authzId, operation, enter) || refused(operation);
  }

  private boolean requestFor(Octets authzId, Operation operation, ToIntFunction<Operation> enter) {
    ByteBuf named = named(authzId, operation);
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

  private ByteBuf named(Octets authzId, Operation operation) {
    ByteBuf body = tracked(operation);
    try {
      return ProxiedControl.putOn(body, operation.message().opLength(), authzId);
    } finally {
      body.release();
    }
  }

  private static boolean refused(Operation operation) {
    LOG.error("{} was on its way to a connection of the service account", operation.type());
    return false;
  }

  private void write(Operation operation, int messageId, ByteBuf body) {
    if (operation.type() == OpType.BIND_REQUEST) {
      writer.writeSecret(messageId, body);
    } else {
      opaque = false;
      writer.write(messageId, body);
    }
  }

  /** Sends a Cancel request of an operation by the messageID that it has here. */
  void cancel(PendingOperation cancel, int targetId) {
    if (service) {
      throw new IllegalStateException("a client's Cancel on a connection of the service account");
    }
    ByteBuf body = CancelValue.translated(cancel.operation().message(), targetId);
    try {
      writer.write(cancel.messageId(), body);
    } finally {
      body.release();
    }
  }

  /** Sends a bind that Stoa does by itself. */
  void bind(int messageId, ByteBuf bindRequest) {
    writer.writeSecret(messageId, bindRequest);
  }

  /** Sends a request of Stoa's own, if the server can read it. */
  void own(int messageId, byte[] op) {
    if (!opaque) {
      writer.write(messageId, op);
    }
  }

  /** How often what was written has been sent. */
  long rounds() {
    return writer.rounds();
  }

  /** Sends what was written, and an unbind after it if the server may still read it. */
  void sayGoodbye(int messageId, boolean unbind) {
    if (unbind) {
      own(messageId, OwnRequest.UNBIND);
    }
    writer.flush();
  }

  /**
   * A request of Stoa's own on a connection, such as the bind that gives it its identity. It is
   * answered once, or the connection ends. Event-loop confined.
   */
  static final class OwnRequest {
    /** A filter that is true of every entry with the attribute (RFC 4511, section 4.5.1.7.5). */
    private static final int PRESENT = 0x87;

    /** RFC 4511, section 4.3. */
    static final byte[] UNBIND = {0x42, 0};

    /**
     * A search for no attribute of the root DSE: what every server answers, and nothing changes.
     */
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
}
