// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import io.stoa.ldap.protocol.SearchEntry;
import java.util.List;
import java.util.function.Consumer;

/** Reads the directory as the identity of the feed, where the feed comes from. Thread-safe. */
public interface PrivilegedReader {
  /**
   * Searches. One of the two is called once, on any thread, perhaps at once; a base that does not
   * exist, or is hidden, is an answer without entries.
   *
   * @param found all entries, if there was a whole answer
   * @param failed why there was none
   */
  void search(Search search, Consumer<List<SearchEntry>> found, Consumer<String> failed);

  /**
   * What is to be read. Immutable, as long as nobody modifies the arrays.
   *
   * @param base a DN
   * @param filter as text (RFC 4515)
   * @param most the answer has that many entries at most, and may leave out others; 0: it has all
   */
  record Search(byte[] base, int scope, byte[] filter, List<String> attributes, int most) {
    /** One that has all entries. */
    public Search(byte[] base, int scope, byte[] filter, List<String> attributes) {
      this(base, scope, filter, attributes, 0);
    }
  }
}
