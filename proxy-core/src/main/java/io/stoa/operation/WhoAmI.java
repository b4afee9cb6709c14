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
import io.stoa.operation.ResponseCollector.CollectedResponse;
import io.stoa.operation.ResponseCollector.Limit;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stoa's own Who Am I request (RFC 4532), which asks the directory for the identity of a client.
 * The request travels the way of the client's operations.
 *
 * <p>Threading: stateless.
 */
public final class WhoAmI {
  /**
   * The messageID of the request: 2,147,483,646. Clients do not reach it in practice. A client that
   * does is not known by name, without further effect.
   */
  private static final int MESSAGE_ID = Integer.MAX_VALUE - 1;

  private static final int REQUEST_NAME = 0x80;

  private WhoAmI() {}

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
          session,
          message,
          decoder,
          System.nanoTime(),
          own ->
              new ResponseCollector(
                  own, Limit.FINAL_RESPONSE, answer -> outcome.accept(authzId(answer))));
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

  /** Returns the identity of an answer from a server: Stoa's own answer does not count. */
  private static byte @Nullable [] authzId(CollectedResponse response) {
    byte[] done = response.done();
    return done == null || !response.fromServer() ? null : authzId(Unpooled.wrappedBuffer(done));
  }

  /** Returns the value of a successful answer; null if there is none. */
  public static byte @Nullable [] authzId(ByteBuf response) {
    try {
      return LdapResult.responseValue(response);
    } catch (LdapProtocolException e) {
      return null;
    }
  }
}
