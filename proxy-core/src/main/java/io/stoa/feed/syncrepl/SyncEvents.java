// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.stoa.ldap.protocol.Uuid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hears what a refreshAndPersist search says (RFC 4533), in the order of the connection, on one
 * thread.
 */
public interface SyncEvents {
  /** What a message of a sync search says of its entry (RFC 4533, section 2.2). */
  enum SyncState {
    /** It is there, as it was. */
    PRESENT,
    /** It is there, and may be new. */
    ADD,
    /** It is there, and has changed, or has another name. */
    MODIFY,
    /** It is there no more. */
    DELETE
  }

  /** What a sync info message is about (RFC 4533, section 2.5). */
  enum SyncInfo {
    /** A cookie alone. */
    NEW_COOKIE,
    /** What has gone has been told. */
    REFRESH_DELETE,
    /** What is still there has been told: the rest has gone. */
    REFRESH_PRESENT,
    /** Several entries that have gone, or are still there. */
    SYNC_ID_SET
  }

  /**
   * An entry or a reference.
   *
   * @param searchEntryOp the whole protocolOp; null if there is none that can be read
   */
  void entry(SyncState state, Uuid uuid, byte @Nullable [] searchEntryOp, @Nullable Cookie cookie);

  /**
   * A sync info message.
   *
   * @param refreshDone whether the refresh is over; for the ends of phases only
   * @param refreshDeletes whether the entries have gone; for {@link SyncInfo#SYNC_ID_SET} only
   * @param uuids of {@link SyncInfo#SYNC_ID_SET}
   */
  void info(
      SyncInfo kind,
      @Nullable Cookie cookie,
      boolean refreshDone,
      boolean refreshDeletes,
      List<Uuid> uuids);

  /**
   * The server has told once more what has changed since the cookie, if the result is 0.
   *
   * @param refreshDeletes whether what has gone has been told; else the rest has gone
   */
  void again(int resultCode, boolean refreshDeletes, String diagnostic);

  /** The server has ended the search. */
  void done(int resultCode, @Nullable Cookie cookie, boolean refreshDeletes, String diagnostic);

  /** The connection has ended, or is taken for ended. */
  void lost(String why);
}
