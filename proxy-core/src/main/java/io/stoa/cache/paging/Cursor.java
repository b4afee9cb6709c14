// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.operation.ClientSession;
import java.util.List;

/**
 * A result that a client is paging through.
 *
 * <p>Threading: event-loop confined.
 */
final class Cursor {
  private static final EncodedResponse SENT = new EncodedResponse(new byte[0]);

  private final ClientSession session;
  private final PagedRequest request;
  private final List<EncodedResponse> entries;
  private final byte[] done;
  private int sent;
  private int octets;
  private int left;

  /**
   * Creates a cursor at the beginning of a result.
   *
   * @param request the request for the first page
   * @param done the final response to the search for the whole result
   */
  Cursor(ClientSession session, PagedRequest request, List<EncodedResponse> entries, byte[] done) {
    this.session = session;
    this.request = request;
    this.entries = entries;
    this.done = done;
    this.octets = request.op().length + entries.stream().mapToInt(entry -> entry.op().length).sum();
  }

  ClientSession session() {
    return session;
  }

  PagedRequest request() {
    return request;
  }

  byte[] done() {
    return done;
  }

  /** Returns the octets that the cursor holds in its client's buffer. */
  int octets() {
    return octets;
  }

  /** Returns the number of entries that were left when the last page began. */
  int left() {
    return left;
  }

  boolean isAtEnd() {
    return sent == entries.size();
  }

  /** Returns the next entries and releases them from the cursor. */
  List<EncodedResponse> take(int max) {
    left = entries.size() - sent;
    List<EncodedResponse> page = List.copyOf(entries.subList(sent, sent + Math.min(max, left)));
    for (EncodedResponse entry : page) {
      octets -= entry.op().length;
      entries.set(sent++, SENT);
    }
    return page;
  }
}
