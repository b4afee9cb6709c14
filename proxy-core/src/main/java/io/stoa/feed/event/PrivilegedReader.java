// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import io.stoa.ldap.csn.Position;
import io.stoa.ldap.csn.PositionReader;
import io.stoa.ldap.protocol.SearchEntry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads the directory as the account of the feed, from the server of the feed.
 *
 * <p>Threading: thread-safe.
 */
public interface PrivilegedReader {
  /**
   * Searches. Exactly one of the callbacks is called, once, on any thread, possibly before this
   * method returns. A base that does not exist or is hidden yields an answer without entries.
   *
   * @param found receives all entries of a complete answer
   * @param onFailure receives the reason why there is no complete answer
   */
  void search(Search search, Consumer<List<SearchEntry>> found, Consumer<ReadFailure> onFailure);

  /**
   * Reads the contextCSN of an entry.
   *
   * @param context the naming context, as named in positions
   * @param receiver receives the position on any thread; {@link Position#NONE} if the server shows
   *     no position, or does not answer
   */
  default void readPosition(byte[] entry, String context, Consumer<Position> receiver) {
    byte[] any = "(objectClass=*)".getBytes(StandardCharsets.US_ASCII);
    search(
        new Search(entry, 0, any, List.of(PositionReader.CONTEXT_CSN)),
        found ->
            receiver.accept(
                found.size() == 1 ? PositionReader.of(context, found.get(0)) : Position.NONE),
        failure -> receiver.accept(Position.NONE));
  }

  /**
   * The reason why there is no complete answer.
   *
   * <p>Threading: immutable.
   *
   * @param resultCode the result code of the server or of the client library; {@link #NO_RESULT} if
   *     the search was not sent, or ended with the connection
   * @param text the reason for administrators; never decides anything
   */
  record ReadFailure(int resultCode, String text) {
    /** Takes the place of a result code if there is none. */
    public static final int NO_RESULT = -1;

    /** Creates a failure without a result code. */
    public static ReadFailure withoutResult(String text) {
      return new ReadFailure(NO_RESULT, text);
    }
  }

  /**
   * A search.
   *
   * <p>Threading: immutable, provided the arrays are not modified.
   *
   * @param base the DN of the base
   * @param scope the scope of RFC 4511, section 4.5.1.2
   * @param filter the filter as text (RFC 4515)
   * @param attributes the attributes to return
   * @param sizeLimit the maximum number of entries, beyond which the answer may be cut; 0 for all
   *     entries
   */
  record Search(byte[] base, int scope, byte[] filter, List<String> attributes, int sizeLimit) {
    /** Creates a search without a limit of entries. */
    public Search(byte[] base, int scope, byte[] filter, List<String> attributes) {
      this(base, scope, filter, attributes, 0);
    }
  }
}
