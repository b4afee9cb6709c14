// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.ResponseCollector.CollectedResponse;
import io.stoa.operation.ResponseCollector.Limit;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stoa's own searches, for its knowledge of a directory.
 *
 * <p>Threading: stateless.
 */
public final class InternalSearch {
  private static final int BASE_OBJECT = 0;
  private static final int WHOLE_SUBTREE = 2;

  /** Maximum octets of an entry: 16 MiB, enough for a schema. */
  private static final int MAX_OCTETS = 16 * 1024 * 1024;

  private InternalSearch() {}

  /**
   * The parameters of a search. Immutable; callers do not modify the arrays.
   *
   * @param base DN of the base
   * @param subtree true for the whole subtree, false for the base only
   * @param filter filter in BER
   * @param attributes requested attributes
   */
  public record SearchParameters(
      byte[] base, boolean subtree, byte[] filter, List<String> attributes) {
    private static final int PRESENT = 0x87;

    /** Returns parameters that read one entry of any kind. */
    public static SearchParameters entry(byte[] dn, List<String> attributes) {
      byte[] any = new BerWriter().octets(PRESENT, octets("objectClass")).toByteArray();
      return new SearchParameters(dn, false, any, attributes);
    }

    private byte[] encode() {
      BerWriter request = new BerWriter();
      int message = request.begin(BerReader.SEQUENCE);
      int scope = subtree ? WHOLE_SUBTREE : BASE_OBJECT;
      request.integer(BerReader.INTEGER, 1);
      request.raw(SearchOp.encode(base, scope, filter, attributes));
      return request.end(message).toByteArray();
    }
  }

  /**
   * The result of a search. Immutable; callers do not modify the array.
   *
   * @param code result code; below 0 if there was no answer
   * @param entry the entry that was found; null if there was none
   */
  public record Found(int code, byte @Nullable [] entry) {
    /** Result of a search without an answer. */
    public static final Found NO_ANSWER = new Found(-1, null);

    /** Returns the entry if the search succeeded; null otherwise. */
    public byte @Nullable [] read() {
      return code == 0 ? entry : null;
    }
  }

  /**
   * Creates an operation that searches.
   *
   * @param outcome called once with the result
   */
  public static Operation of(
      InternalSession session,
      RequestDecoder decoder,
      SearchParameters parameters,
      Consumer<Found> outcome) {
    return new Operation(
        session,
        message(parameters),
        decoder,
        System.nanoTime(),
        search -> collector(search, outcome));
  }

  /**
   * Creates an operation that searches for Stoa while another operation is in flight. The client of
   * that operation does not know of the search and cannot end it.
   *
   * @param outcome called once with the result
   */
  public static Operation beside(
      Operation other, SearchParameters parameters, Consumer<Found> outcome) {
    InternalSession session = new InternalSession(other.session().executor());
    return of(session, other.decoder(), parameters, outcome);
  }

  /**
   * Creates an operation that reads one entry as the client of another operation, which needs it.
   *
   * @param outcome called with the entry, or null if it could not be read
   */
  public static Operation read(
      Operation client, byte[] dn, List<String> attributes, Consumer<byte @Nullable []> outcome) {
    LdapMessage message = message(SearchParameters.entry(dn, attributes));
    return client.derived(message, read -> collector(read, found -> outcome.accept(found.read())));
  }

  private static LdapMessage message(SearchParameters parameters) {
    try {
      return LdapMessage.parse(Unpooled.wrappedBuffer(parameters.encode()));
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("Stoa's own request is malformed", e);
    }
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static ResponseSink collector(Operation search, Consumer<Found> outcome) {
    return new ResponseCollector(
        search, Limit.oneEntry(MAX_OCTETS), answer -> outcome.accept(found(answer)));
  }

  private static Found found(CollectedResponse answer) {
    List<EncodedResponse> entries = answer.entries();
    return answer.done() == null
        ? Found.NO_ANSWER
        : new Found(answer.code(), entries.isEmpty() ? null : entries.get(0).op());
  }
}
