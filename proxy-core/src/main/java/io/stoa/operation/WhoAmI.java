// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestDecoder;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stoa's own Who Am I request (RFC 4532), which asks the directory for the identity of a client.
 * The request travels the way of the client's operations. This is also the sink of the answer.
 *
 * <p>Threading: event loop.
 */
public final class WhoAmI extends InternalSink {
  /**
   * The messageID of the request: 2,147,483,646. Clients do not reach it in practice. A client that
   * does is not known by name, without further effect.
   */
  private static final int MESSAGE_ID = Integer.MAX_VALUE - 1;

  private static final int REQUEST_NAME = 0x80;

  private final Consumer<byte @Nullable []> outcome;

  private WhoAmI(Operation operation, Consumer<byte @Nullable []> outcome) {
    super(operation);
    this.outcome = outcome;
  }

  /**
   * Creates the operation.
   *
   * @param outcome called once with the authorization identity: empty for anonymous, null if there
   *     was no answer
   */
  public static Operation of(
      ClientSession session, RequestDecoder decoder, Consumer<byte @Nullable []> outcome) {
    try {
      LdapMessage message = LdapMessage.parse(Unpooled.wrappedBuffer(request()));
      return new Operation(
          session, message, decoder, System.nanoTime(), op -> new WhoAmI(op, outcome));
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("Stoa's own request is malformed", e);
    }
  }

  /** Returns the protocolOp of the request. */
  public static byte[] question() {
    BerWriter request = new BerWriter();
    int extended = request.begin(OpType.EXTENDED_REQUEST.tag());
    request.octets(REQUEST_NAME, Oids.WHO_AM_I.getBytes(StandardCharsets.US_ASCII));
    return request.end(extended).toByteArray();
  }

  private static byte[] request() {
    BerWriter request = new BerWriter();
    int message = request.begin(BerReader.SEQUENCE);
    request.integer(BerReader.INTEGER, MESSAGE_ID);
    return request.raw(question()).end(message).toByteArray();
  }

  @Override
  public void complete(LdapMessage response) {
    try {
      end(authzId(response.body()));
    } finally {
      response.release();
    }
  }

  /** Returns the value of a successful answer; null if there is none. */
  public static byte @Nullable [] authzId(ByteBuf response) {
    try {
      return LdapResult.responseValue(response);
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  @Override
  public void complete(byte[] op) {
    end(null);
  }

  @Override
  public void reject(Rejection reason) {
    end(null);
  }

  @Override
  public void abandoned() {
    outcome.accept(null);
  }

  private void end(byte @Nullable [] authzId) {
    if (end()) {
      outcome.accept(authzId);
    }
  }

  /** Treats a large answer as none: no identity is that long. */
  @Override
  public void complete(LargeMessage response) {
    end(null);
  }
}
