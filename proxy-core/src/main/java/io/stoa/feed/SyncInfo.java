// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed;

/** What a sync info message is about (RFC 4533, section 2.5). */
public enum SyncInfo {
  /** A cookie alone. */
  NEW_COOKIE,
  /** What has gone has been told. */
  REFRESH_DELETE,
  /** What is still there has been told: the rest has gone. */
  REFRESH_PRESENT,
  /** Several entries that have gone, or are still there. */
  SYNC_ID_SET
}
