// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed;

/** What a message of a sync search says of its entry (RFC 4533, section 2.2). */
public enum SyncState {
  /** It is there, as it was. */
  PRESENT,
  /** It is there, and may be new. */
  ADD,
  /** It is there, and has changed, or has another name. */
  MODIFY,
  /** It is there no more. */
  DELETE
}
