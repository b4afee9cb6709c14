// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

/** Reason why a view is invalid. */
public enum InvalidationCause {
  /** An entry that it shows, or would show now, has changed. */
  CHANGE,
  /** An entry that it shows, its base, or an entry above is gone. */
  DELETE,
  /** An entry above or below has another name now, or may have. */
  RENAME,
  /** A read has shown a newer state of an entry that it shows. */
  NEWER_STATE_SHOWN,
  /** The feed has reported a change that never took effect. */
  ABORTED,
  /** The feed's account does not see, perhaps not yet, what the feed has reported. */
  UNCONFIRMED,
  /** The view shows something that the feed does not report. */
  HIDDEN,
  /** Anything in a part of the directory may have changed. */
  ANYTHING,
  /** The view differed from the directory, and no change was reported that explains it. */
  MISMATCH
}
