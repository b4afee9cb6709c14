// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import org.jspecify.annotations.Nullable;

/** What has happened to an entry, or to more than one. Immutable. */
public sealed interface Change {
  /** How it became known. */
  Receipt receipt();

  /** The entry; null if it is not about one. */
  @Nullable Uuid uuid();

  /** Where the entry is now or, if it is gone, was last; null if that is not known. */
  @Nullable NormalDn dn();

  /** What the entry looks like now; null if that is not known, or it is gone. */
  default @Nullable Image image() {
    return null;
  }

  /** When it happened, by the server's own count; null if that is not known. */
  default @Nullable Csn csn() {
    return receipt().csn();
  }

  /** Who says so. */
  enum Source {
    FEED,
    /** The answer to a write that went through Stoa. */
    OWN_WRITE
  }

  /**
   * How a change became known. Immutable.
   *
   * @param csn the entryCSN that it gave the entry or, of a delete, the CSN of the cookie that came
   *     with it; null if there is none
   * @param cookie all that is covered with it; null if nothing was said of that: a feed gets on by
   *     cookies only
   * @param arrivedNanos when, by the clock of who hears it
   * @param rights whether with it rules of access may have changed that stand in the entry
   */
  record Receipt(
      @Nullable Csn csn,
      @Nullable Position cookie,
      long arrivedNanos,
      Source source,
      boolean rights) {
    /** Of a change with which no such rule is known to have changed. */
    public Receipt(@Nullable Csn csn, @Nullable Position cookie, long arrivedNanos, Source source) {
      this(csn, cookie, arrivedNanos, source, false);
    }
  }

  /**
   * An entry was added or modified. A feed that does not tell renames apart reports them so: the
   * name may be a new one.
   */
  record Modified(Uuid uuid, NormalDn dn, @Nullable Image image, Receipt receipt)
      implements Change {}

  /**
   * An entry, and all below it, has got another name.
   *
   * @param old its name before; null if it is not known
   * @param leaf whether it is known that nothing is below it now: what was when it got its name may
   *     have been removed, or moved elsewhere, before anybody looked, of which changes of its own
   *     tell
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
   * An entry is gone.
   *
   * @param uuid null if nothing is known of it but its name
   */
  record Deleted(@Nullable Uuid uuid, @Nullable NormalDn dn, Receipt receipt) implements Change {}

  /**
   * Anything may have happened.
   *
   * @param below only at or below there; null for anywhere
   */
  record Anything(@Nullable NormalDn below, Receipt receipt) implements Change {
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
