// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import io.stoa.feed.accesslog.LogRecord.ChangeType;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.Change.Unknown;
import io.stoa.feed.event.RightsAttributes;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import org.jspecify.annotations.Nullable;

/**
 * Translates records of an accesslog into changes.
 *
 * <ol>
 *   <li>The image of an entry was read after its record. The image is used only if it shows the
 *       state that the record left; otherwise the change has none.
 *   <li>A rename is never reported as that of a leaf, although the entry has no children now.
 *       Children may have been moved elsewhere since, and a move does not change their entryCSN.
 * </ol>
 *
 * <p>Threading: immutable.
 *
 * @param place the naming context; records of other places are ignored
 */
record LogChanges(SyncContext terms, LogScope place) {

  /**
   * An entry as it was read.
   *
   * <p>Threading: immutable.
   *
   * @param csn its entryCSN, which identifies its state
   */
  record EntryState(Image image, Csn csn) {
    boolean shows(LogRecord record) {
      return csn.equals(record.csn());
    }

    boolean isAhead(LogRecord record) {
      return csn.compareTo(record.csn()) > 0;
    }
  }

  /** Decodes an entry of the log; null if it is no record. */
  @Nullable LogRecord record(Image image) {
    return LogRecord.of(image.entry(), terms.rules()::name);
  }

  boolean isWithin(LogRecord record) {
    return place.holds(record);
  }

  /**
   * True if the record can be skipped: its effect on the entry is unknown, and a later record of
   * the same entry waits. Renames and deletes are never skipped, so that no DN in between is lost.
   *
   * @param state the entry as read; null if it does not exist
   * @param newest the CSN of the last waiting record of the entry
   */
  static boolean isOvertaken(LogRecord record, @Nullable EntryState state, @Nullable Csn newest) {
    boolean unnamed = record.type() == ChangeType.MODIFY || record.type() == ChangeType.ADD;
    boolean shown = state != null && state.shows(record);
    return unnamed && !shown && newest != null && newest.compareTo(record.csn()) > 0;
  }

  /**
   * Returns the change of a record.
   *
   * @param state the entry as read; null if it was not found
   * @param cookie the position covered with the change; null if it is not known
   */
  Change of(LogRecord record, @Nullable EntryState state, @Nullable Position cookie) {
    long now = terms.clock().getAsLong();
    Uuid entry = record.entry();
    Image image = state != null && state.shows(record) ? state.image() : null;
    // access rules in it may be new
    boolean rights = image != null && RightsAttributes.hasAccessRule(image.entry());
    Receipt receipt = new Receipt(record.csn(), cookie, now, Reporter.FEED, rights);
    if (entry == null) {
      return new Unknown(null, receipt);
    }
    return switch (record.type()) {
      case ADD, MODIFY ->
          new Modified(entry, image == null ? record.dn() : image.dn(), image, receipt);
      case DELETE -> new Deleted(entry, record.dn(), receipt);
      case MODRDN -> renamed(record, entry, image, receipt);
      case OTHER -> new Unknown(null, receipt);
    };
  }

  /** Returns a change of unknown kind. */
  Change unknown(@Nullable Position cookie) {
    long now = terms.clock().getAsLong();
    return new Unknown(null, new Receipt(null, cookie, now, Reporter.FEED));
  }

  private static Change renamed(
      LogRecord record, Uuid entry, @Nullable Image image, Receipt receipt) {
    NormalDn newDn = record.renamed();
    return newDn == null
        ? new Unknown(null, receipt)
        : new Renamed(entry, record.dn(), newDn, false, image, receipt);
  }
}
