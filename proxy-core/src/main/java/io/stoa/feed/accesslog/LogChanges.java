// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import io.stoa.feed.accesslog.LogRecord.What;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Anything;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Source;
import io.stoa.feed.event.RightsAttributes;
import io.stoa.feed.syncrepl.SyncTerms;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import org.jspecify.annotations.Nullable;

/**
 * Makes changes of the records of an accesslog. What an entry looks like is what was read of it
 * later, if that is the state that its record has left; if not, it is not known. That there is
 * nothing below it now does not say that there was nothing when it got another name: what was there
 * may have been moved since, and leaves its entryCSN. Immutable.
 *
 * @param place the naming context; what was done elsewhere is no change
 */
record LogChanges(SyncTerms terms, LogPlace place) {

  /**
   * What an entry looks like, and which of its states that is. Immutable.
   *
   * @param csn its entryCSN
   */
  record Look(Image image, Csn csn) {
    boolean shows(LogRecord record) {
      return csn.equals(record.csn());
    }

    boolean isAhead(LogRecord record) {
      return csn.compareTo(record.csn()) > 0;
    }
  }

  /** What an entry of the log says; null if it says nothing. */
  @Nullable LogRecord record(Image image) {
    return LogRecord.of(image.entry(), terms.rules()::name);
  }

  boolean isWithin(LogRecord record) {
    return place.holds(record);
  }

  /**
   * Whether nobody need be told, for it is not known what it has made of the entry, and a later
   * record is about to be told. That the entry had another name in between must not be left out.
   *
   * @param look null if it is not there
   * @param newest the last of the records of the same entry that wait
   */
  static boolean isOvertaken(LogRecord record, @Nullable Look look, @Nullable Csn newest) {
    boolean unnamed = record.what() == What.MODIFY || record.what() == What.ADD;
    boolean shown = look != null && look.shows(record);
    return unnamed && !shown && newest != null && newest.compareTo(record.csn()) > 0;
  }

  /**
   * What has happened.
   *
   * @param look what was read of the entry; null if it was not found
   * @param cookie up to where all is told with it; null if that is not known
   */
  Change of(LogRecord record, @Nullable Look look, @Nullable Position cookie) {
    long now = terms.clock().getAsLong();
    Uuid entry = record.entry();
    Image image = look != null && look.shows(record) ? look.image() : null;
    boolean rights = image != null && RightsAttributes.areIn(image.entry()); // they may be new
    Receipt receipt = new Receipt(record.csn(), cookie, now, Source.FEED, rights);
    if (entry == null) {
      return new Anything(null, receipt);
    }
    return switch (record.what()) {
      case ADD, MODIFY ->
          new Modified(entry, image == null ? record.dn() : image.dn(), image, receipt);
      case DELETE -> new Deleted(entry, record.dn(), receipt);
      case MODRDN -> renamed(record, entry, image, receipt);
      case OTHER -> new Anything(null, receipt);
    };
  }

  /** Anything may have happened. */
  Change unknown(@Nullable Position cookie) {
    long now = terms.clock().getAsLong();
    return new Anything(null, new Receipt(null, cookie, now, Source.FEED));
  }

  private static Change renamed(
      LogRecord record, Uuid entry, @Nullable Image image, Receipt receipt) {
    NormalDn now = record.renamed();
    return now == null
        ? new Anything(null, receipt)
        : new Renamed(entry, record.dn(), now, false, image, receipt);
  }
}
