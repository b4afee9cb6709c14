// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.stoa.ldap.protocol.Uuid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives the messages of a refreshAndPersist search (RFC 4533).
 *
 * <p>Threading: called on one thread, in the order of the connection.
 */
public interface SyncEvents {
  /** The state of an entry in a message (RFC 4533, section 2.2). */
  enum SyncState {
    /** The entry exists, unchanged. */
    PRESENT,
    /** The entry exists, and may be new. */
    ADD,
    /** The entry exists, and was modified or renamed. */
    MODIFY,
    /** The entry was deleted. */
    DELETE
  }

  /** The kind of a sync info message (RFC 4533, section 2.5). */
  enum SyncInfo {
    /** A cookie alone. */
    NEW_COOKIE,
    /** All deleted entries have been listed. */
    REFRESH_DELETE,
    /** All existing entries have been listed; all others were deleted. */
    REFRESH_PRESENT,
    /** A list of entries that were deleted, or still exist. */
    SYNC_ID_SET
  }

  /**
   * Called for each entry or reference.
   *
   * @param searchEntryOp the whole protocolOp; null if it is missing or cannot be decoded
   */
  void onEntry(
      SyncState state, Uuid uuid, byte @Nullable [] searchEntryOp, @Nullable Cookie cookie);

  /**
   * Called for each sync info message.
   *
   * @param refreshDone true if the refresh is over; only at the end of a phase
   * @param refreshDeletes true if the listed entries were deleted; only for {@link
   *     SyncInfo#SYNC_ID_SET}
   * @param uuids the entries of {@link SyncInfo#SYNC_ID_SET}
   */
  void onInfo(
      SyncInfo kind,
      @Nullable Cookie cookie,
      boolean refreshDone,
      boolean refreshDeletes,
      List<Uuid> uuids);

  /**
   * Called when the second refresh has ended. If the result is 0, the server has reported the
   * changes since the cookie once more.
   *
   * @param refreshDeletes true if deletes were reported; false if entries not listed were deleted
   */
  void onSecondRefresh(int resultCode, boolean refreshDeletes, String diagnostic);

  /** Called when the server has ended the search. */
  void onDone(int resultCode, @Nullable Cookie cookie, boolean refreshDeletes, String diagnostic);

  /** Called when the connection has ended, or is considered dead. */
  void onLost(String why);
}
