// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

/**
 * State of a view.
 *
 * <p>Threading: immutable.
 */
public enum ViewState {
  /** The result was read, and is being compared with the changes since. */
  PENDING,

  /**
   * No reported change contradicts the result, but the feed is not proved to report all of its
   * changes. The result may be served until its maximum age.
   */
  AGE_ONLY,

  /**
   * The feed reports all changes of the result, which may be served while the lease of the feed
   * holds.
   */
  VALID,

  /** A change has invalidated the result, or it is no longer stored. */
  INVALID;

  boolean mayBecome(ViewState next) {
    return this != INVALID && next.compareTo(this) > 0;
  }
}
