// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import org.jspecify.annotations.Nullable;

/**
 * A change of one entry or several entries, as a feed or a write reported it.
 *
 * <p>Threading: immutable.
 */
public sealed interface Change {
  /** Returns how the change became known. */
  Receipt receipt();

  /** Returns the UUID of the entry; null if unknown, or if the change is not about one entry. */
  @Nullable Uuid uuid();

  /** Returns the DN of the entry, or its last DN if it was deleted; null if the DN is not known. */
  @Nullable NormalDn dn();

  /**
   * Returns the entry's contents after the change; null if they are unknown or the entry is gone.
   */
  default @Nullable Image image() {
    return null;
  }

  /** Returns the CSN of the change, assigned by the server; null if it is not known. */
  default @Nullable Csn csn() {
    return receipt().csn();
  }

  /** Reporter of a change. */
  enum Reporter {
    FEED,
    /** The response to a write that went through Stoa. */
    OWN_WRITE
  }

  /**
   * How a change became known.
   *
   * <p>Threading: immutable.
   *
   * @param csn the entryCSN that the change gave the entry; for a delete, the CSN of its cookie;
   *     null if there is none
   * @param cookie the position that is covered once this change is applied; null if none was
   *     reported. A feed advances by cookies only
   * @param arrivedNanos the time of arrival, by the clock of the receiver
   * @param reporter the reporter of the change
   * @param rights true if access rules that are stored in the entry may have changed
   */
  record Receipt(
      @Nullable Csn csn,
      @Nullable Position cookie,
      long arrivedNanos,
      Reporter reporter,
      boolean rights) {
    /** Creates the receipt of a change that is not known to change access rules. */
    public Receipt(
        @Nullable Csn csn, @Nullable Position cookie, long arrivedNanos, Reporter source) {
      this(csn, cookie, arrivedNanos, source, false);
    }
  }

  /**
   * An entry was added or modified. A feed that does not distinguish renames reports a rename as a
   * modification, so the DN may be new.
   */
  record Modified(Uuid uuid, NormalDn dn, @Nullable Image image, Receipt receipt)
      implements Change {}

  /**
   * An entry, and the subtree below it, was renamed.
   *
   * @param old the DN before; null if it is not known
   * @param leaf true if the entry is known to have no entries below it now. Entries that it had
   *     when it was renamed may have been deleted or moved since; the feed reports each of those
   *     changes
   */
  record Renamed(
      Uuid uuid,
      @Nullable NormalDn old,
      NormalDn dn,
      boolean leaf,
      @Nullable Image image,
      Receipt receipt)
      implements Change {}

  /**
   * An entry was deleted.
   *
   * @param uuid null if only the DN is known
   */
  record Deleted(@Nullable Uuid uuid, @Nullable NormalDn dn, Receipt receipt) implements Change {}

  /**
   * An unknown change: any entry in its scope may have changed.
   *
   * @param below the subtree that may have changed; null for every entry
   */
  record Unknown(@Nullable NormalDn below, Receipt receipt) implements Change {
    @Override
    public @Nullable Uuid uuid() {
      return null;
    }

    @Override
    public @Nullable NormalDn dn() {
      return below;
    }
  }
}
