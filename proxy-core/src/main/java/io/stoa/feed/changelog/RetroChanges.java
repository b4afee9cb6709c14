// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.Change.Unknown;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Translates records of a changelog into changes.
 *
 * <ol>
 *   <li>The image of an entry is read after its record, and may show a later change. Then that
 *       change is reported, too.
 *   <li>A rename is never reported as that of a leaf: the entry may have had children when it was
 *       renamed.
 * </ol>
 *
 * <p>Threading: immutable.
 *
 * @param context the naming context. Records of other places are ignored, except changes of access
 *     rules above it, which govern all of it
 * @param rules the numbers of modifications that may have changed access rules
 */
record RetroChanges(SyncContext terms, NormalDn context, Set<Long> rules) {

  /** True if the changed entry must be read. */
  boolean wantsImage(RetroRecord record) {
    return record.entry() != null
        && record.type() != RetroRecord.ChangeType.DELETE
        && isKnown(record)
        && isWithin(record);
  }

  /**
   * Returns the change in the naming context; null if there is none.
   *
   * @param images the images of entries, by UUID
   * @param cookie the position of the changelog with this record
   */
  @Nullable Change of(RetroRecord record, Map<Uuid, Image> images, Position cookie) {
    boolean rights = rules.contains(record.number());
    Receipt receipt = new Receipt(null, cookie, terms.clock().getAsLong(), Reporter.FEED, rights);
    Uuid entry = record.entry();
    String name = record.name();
    if (entry == null || name == null || !isKnown(record)) {
      return new Unknown(null, receipt);
    }
    if (isWithin(record)) {
      return change(record, entry, dn(name), images.get(entry), receipt);
    }
    return rights && context.isBelowOrEqual(dn(name)) ? new Unknown(null, receipt) : null;
  }

  private Change change(
      RetroRecord record, Uuid entry, NormalDn dn, @Nullable Image image, Receipt receipt) {
    String renamed = record.renamed();
    return switch (record.type()) {
      case DELETE -> new Deleted(entry, dn, receipt);
      case MODIFY -> new Modified(entry, dn, image, receipt);
      // reported as a rename from an unknown DN
      case ADD -> new Renamed(entry, null, dn, true, image, receipt);
      case MODRDN ->
          renamed == null
              ? new Unknown(null, receipt)
              : new Renamed(entry, dn, dn(renamed), false, image, receipt);
      case UNKNOWN, MISSING -> new Unknown(null, receipt);
    };
  }

  private static boolean isKnown(RetroRecord record) {
    return record.type() != RetroRecord.ChangeType.UNKNOWN && !record.isMissing();
  }

  private boolean isWithin(RetroRecord record) {
    String name = record.name();
    String renamed = record.renamed();
    return (name != null && dn(name).isBelowOrEqual(context))
        || (renamed != null && dn(renamed).isBelowOrEqual(context));
  }

  private NormalDn dn(String name) {
    return terms.rules().name(name.getBytes(StandardCharsets.UTF_8));
  }
}
