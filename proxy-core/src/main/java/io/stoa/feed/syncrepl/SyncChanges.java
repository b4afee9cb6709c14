// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.Change.Unknown;
import io.stoa.feed.event.RightsAttributes;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Translates entries of a sync search into changes. A rename is reported as a modification;
 * receivers that know the old DN can detect it.
 *
 * <p>Threading: immutable.
 */
record SyncChanges(SyncContext terms) {
  private static final String ENTRY_CSN = "entryCSN";

  /** Returns the change for an existing entry; null if the entry cannot be decoded. */
  @Nullable Change modified(Uuid uuid, byte @Nullable [] op, @Nullable Position cookie) {
    SearchEntry entry = op == null ? null : new EntryConverter(terms.secret()).withoutSecrets(op);
    if (entry == null) {
      return null;
    }
    Image image = terms.rules().image(entry);
    boolean rights = RightsAttributes.hasAccessRule(entry); // access rules in it may be new
    long now = terms.clock().getAsLong();
    Receipt receipt = new Receipt(csn(entry), cookie, now, Reporter.FEED, rights);
    return new Modified(uuid, image.dn(), image, receipt);
  }

  /** Returns the change for a deleted entry. The server may omit its DN. */
  Change deleted(Uuid uuid, byte @Nullable [] op, @Nullable Csn csn, @Nullable Position cookie) {
    return new Deleted(uuid, op == null ? null : name(op), receipt(csn, cookie));
  }

  /** Returns the change for an entry that the account cannot see. */
  Change unseen(@Nullable Csn csn, @Nullable Position cookie) {
    return new Unknown(null, receipt(csn, cookie));
  }

  private Receipt receipt(@Nullable Csn csn, @Nullable Position cookie) {
    return new Receipt(csn, cookie, terms.clock().getAsLong(), Reporter.FEED);
  }

  private @Nullable NormalDn name(byte[] op) {
    try {
      byte[] dn = SearchEntry.parse(op).dn();
      return dn.length == 0 ? null : terms.rules().name(dn);
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  private static @Nullable Csn csn(SearchEntry entry) {
    for (AttributeOctets attribute : entry.attributes()) {
      String type = new String(attribute.type(), StandardCharsets.UTF_8);
      byte[] state = type.equalsIgnoreCase(ENTRY_CSN) ? attribute.only() : null;
      if (state != null) {
        return Csn.parse(state);
      }
    }
    return null;
  }
}
