// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed;

import io.stoa.filter.Uuid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hears what a refreshAndPersist search says (RFC 4533), in the order of the connection, on one
 * thread.
 */
public interface SyncEvents {
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

  /** The server has ended the search. */
  void done(int resultCode, @Nullable Cookie cookie, boolean refreshDeletes, String diagnostic);

  /** The connection has ended, or is taken for ended. */
  void lost(String why);
}
