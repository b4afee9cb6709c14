// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.limit;

/**
 * Counts the entries of one page for its paged search.
 *
 * <p>Threading: event loop.
 */
interface PageCount {
  byte[] NO_COOKIE = {};

  /** Counts nothing: for a search without pages, or pages that need not be counted together. */
  PageCount NONE =
      new PageCount() {
        @Override
        public int entriesBefore() {
          return 0;
        }

        @Override
        public void onEnd(byte[] cookie, int given) {
          // There is nothing to count.
        }
      };

  /** Returns the number of entries in all previous pages. */
  int entriesBefore();

  /**
   * Called when the page has ended.
   *
   * @param cookie cookie of the next page; empty if there is none
   * @param given number of entries in all pages so far
   */
  void onEnd(byte[] cookie, int given);
}
