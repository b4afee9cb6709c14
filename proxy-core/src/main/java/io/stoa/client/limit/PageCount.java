// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.limit;

/** What a page counts for in the search to which it belongs. Event-loop confined. */
interface PageCount {
  byte[] NO_COOKIE = {};

  /** What is no page, or need not be followed. */
  PageCount NONE =
      new PageCount() {
        @Override
        public int before() {
          return 0;
        }

        @Override
        public void end(byte[] cookie, int given) {
          // Nothing follows.
        }
      };

  /** Entries that the pages before have given. */
  int before();

  /**
   * The page has ended.
   *
   * @param cookie of the next one; empty if there is none
   * @param given entries of all pages by now
   */
  void end(byte[] cookie, int given);
}
