// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

/** What a view may be used for. Immutable. */
public enum ViewState {
  /** It has been read, and is being compared with what has changed meanwhile. */
  PENDING,

  /**
   * It is right as far as the feed tells, but has not been proved to be something of which the feed
   * tells: it may be used as long as its age permits.
   */
  UNSEEN,

  /** It is right as long as the feed is. */
  VALID,

  /** Something has changed, or nobody keeps it any more. */
  DEAD;

  boolean mayBecome(ViewState next) {
    return this != DEAD && next.compareTo(this) > 0;
  }
}
