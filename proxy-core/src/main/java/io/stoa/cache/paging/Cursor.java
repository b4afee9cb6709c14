// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.protocol.PagedResults;
import io.stoa.operation.ClientSession;
import java.util.List;

/**
 * A result that a client is paging through.
 *
 * <p>Threading: event-loop confined.
 */
final class Cursor {
  private final ClientSession session;
  private final PagedRequest request;
  private final List<byte[]> entries;
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
  Cursor(ClientSession session, PagedRequest request, List<byte[]> entries, byte[] done) {
    this.session = session;
    this.request = request;
    this.entries = entries;
    this.done = done;
    this.octets = request.op().length + entries.stream().mapToInt(entry -> entry.length).sum();
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
  List<byte[]> take(int most) {
    left = entries.size() - sent;
    List<byte[]> page = List.copyOf(entries.subList(sent, sent + Math.min(most, left)));
    for (byte[] entry : page) {
      octets -= entry.length;
      entries.set(sent++, PagedResults.NO_COOKIE);
    }
    return page;
  }
}
