// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.operation.ClientSession;
import java.util.List;

/** A result of which a client has not got all pages yet. Event-loop confined. */
final class Cursor {
  private final ClientSession session;
  private final PagedRequest request;
  private final List<byte[]> entries;
  private final byte[] done;
  private int given;
  private int octets;
  private int left;

  /**
   * Makes the cursor at the beginning of a result.
   *
   * @param request the request for the first page
   * @param done the final response to the search for all of it
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

  /** Octets that it holds for its client. */
  int octets() {
    return octets;
  }

  /** Entries that were left when the last page began. */
  int left() {
    return left;
  }

  boolean isAtEnd() {
    return given == entries.size();
  }

  /** The next entries, which are not held any more. */
  List<byte[]> take(int most) {
    left = entries.size() - given;
    List<byte[]> page = List.copyOf(entries.subList(given, given + Math.min(most, left)));
    for (byte[] entry : page) {
      octets -= entry.length;
      entries.set(given++, PageControl.NO_COOKIE);
    }
    return page;
  }
}
