// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Anything;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Source;
import io.stoa.feed.syncrepl.SyncTerms;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes changes of the records of a changelog. What an entry looks like is read after its record,
 * and may be what a later one has made of it: then that one is told, too. That there is nothing
 * below it now does not say that there was nothing when it got another name. Immutable.
 *
 * @param context the naming context; what was done elsewhere is no change, but for rules of access
 *     above it, which are about all of it
 * @param rules the numbers of modifications that may have been of such rules
 */
record RetroChanges(SyncTerms terms, NormalDn context, Set<Long> rules) {

  /** Whether what a record tells is to be looked at in the entry itself. */
  boolean wantsImage(RetroRecord record) {
    return record.entry() != null
        && record.what() != RetroRecord.What.DELETE
        && isKnown(record)
        && isWithin(record);
  }

  /**
   * What has happened in the naming context; null if nothing.
   *
   * @param looks of entries, by what they are
   * @param cookie how far the changelog has been read with it
   */
  @Nullable Change of(RetroRecord record, Map<Uuid, Image> looks, Position cookie) {
    boolean rights = rules.contains(record.number());
    Receipt receipt = new Receipt(null, cookie, terms.clock().getAsLong(), Source.FEED, rights);
    Uuid entry = record.entry();
    String name = record.name();
    if (entry == null || name == null || !isKnown(record)) {
      return new Anything(null, receipt);
    }
    if (isWithin(record)) {
      return change(record, entry, dn(name), looks.get(entry), receipt);
    }
    return rights && context.isBelowOrEqual(dn(name)) ? new Anything(null, receipt) : null;
  }

  private Change change(
      RetroRecord record, Uuid entry, NormalDn dn, @Nullable Image image, Receipt receipt) {
    String renamed = record.renamed();
    return switch (record.what()) {
      case DELETE -> new Deleted(entry, dn, receipt);
      case MODIFY -> new Modified(entry, dn, image, receipt);
      case ADD -> new Renamed(entry, null, dn, true, image, receipt); // from nowhere
      case MODRDN ->
          renamed == null
              ? new Anything(null, receipt)
              : new Renamed(entry, dn, dn(renamed), false, image, receipt);
      case ANYTHING, MISSING -> new Anything(null, receipt);
    };
  }

  private static boolean isKnown(RetroRecord record) {
    return record.what() != RetroRecord.What.ANYTHING && !record.isMissing();
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
