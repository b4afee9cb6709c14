// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import io.netty.buffer.Unpooled;
import io.stoa.cache.memory.BoundedCache;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.operation.CompletedOperation;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Texts of requests. Searches and compares are decoded here, since an answer from memory needs no
 * decoding. The texts of short ones are kept for their repetitions, except of those that assert
 * secret values.
 *
 * <p>Threading: confined to the thread of one log.
 */
final class RequestTexts {
  /** Memory for the texts of an access log: 8 MiB, estimated. */
  static final int LOG_MEMORY = 8 << 20;

  /** Memory of a text beside its octets, estimated: 200 octets. */
  private static final int OVERHEAD = 200;

  /** Octets of a request up to which its text is kept: 1,024. */
  private static final int MAX_OCTETS = 1_024;

  private final RequestDecoder decoder = RequestDecoder.OF_ACCEPTED;
  private final Function<Request, Text> writer;
  private final Predicate<Request> secret;
  private final BoundedCache<Octets, Text> texts;

  /**
   * The text of a request.
   *
   * <p>Threading: immutable; the arrays must not be modified.
   *
   * @param first the text of its line
   * @param second the text of a further line; empty if there is none
   */
  record Text(byte[] first, byte[] second) {
    static final Text NONE = new Text(new byte[0], new byte[0]);

    int length() {
      return first.length + second.length;
    }
  }

  /**
   * Creates the texts.
   *
   * @param writer writes the text of a request
   * @param secret true for requests whose octets must not be kept
   * @param memory memory of the texts that are kept; 0 keeps none
   */
  RequestTexts(Function<Request, Text> writer, Predicate<Request> secret, int memory) {
    this.writer = writer;
    this.secret = secret;
    this.texts =
        new BoundedCache<>(
            memory / OVERHEAD,
            memory,
            (request, text) -> OVERHEAD + request.length() + text.length());
  }

  /** Returns the text of an operation's request. */
  Text of(CompletedOperation operation) {
    Request request = operation.request();
    byte[] octets = operation.octets();
    if (request != null) {
      return writer.apply(request);
    }
    if (octets == null) {
      return Text.NONE;
    }
    Octets key = Octets.of(octets);
    Text known = texts.get(key);
    return known == null ? decode(operation, key) : known;
  }

  private Text decode(CompletedOperation operation, Octets octets) {
    try {
      Request request = decoder.decode(operation.type(), Unpooled.wrappedBuffer(octets.array()));
      Text text = writer.apply(request);
      if (octets.length() <= MAX_OCTETS && !secret.test(request)) {
        texts.put(octets, text);
      }
      return text;
    } catch (LdapProtocolException e) {
      return Text.NONE; // refused as malformed; the result code is in the line
    }
  }
}
