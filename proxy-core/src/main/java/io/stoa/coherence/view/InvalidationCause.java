// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

/** Why a view is void. */
public enum InvalidationCause {
  /** An entry that it shows, or would show now, has changed. */
  CHANGE,
  /** An entry that it shows, or something above or its base, is gone. */
  DELETE,
  /** Something above or below has another name now, or may have. */
  RENAME,
  /** A read has shown a newer state of an entry that it shows. */
  EVIDENCE,
  /** The feed has told of a change that never took effect. */
  PHANTOM,
  /** The feed's account was not shown, or not yet, what the feed has told. */
  UNCONFIRMED,
  /** It shows something of which the feed does not tell. */
  HIDDEN,
  /** A whole part of the directory may have changed. */
  ANYTHING,
  /** It was not what the directory answers, and nobody had told of a change. */
  INCOHERENT
}
