// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One record of an accesslog.
 *
 * <p>Threading: immutable.
 *
 * @param dn the DN of the entry before the change
 * @param renamed the new DN; null if it is unchanged or not known
 * @param entry the UUID of the entry; null if the record has none
 * @param csn the entryCSN that the change gave the entry
 */
record LogRecord(
    ChangeType type, NormalDn dn, @Nullable NormalDn renamed, @Nullable Uuid entry, Csn csn) {
  /** The attributes to read. The written values are not read, since they may hold secrets. */
  static final List<String> ATTRIBUTES =
      List.of("reqType", "reqDN", "reqNewDN", "reqEntryUUID", "entryCSN");

  /** Kind of the operation. */
  enum ChangeType {
    ADD,
    MODIFY,
    MODRDN,
    DELETE,
    OTHER
  }

  /** Decodes a record; null if the entry is no record or lacks a required attribute. */
  static @Nullable LogRecord of(SearchEntry entry, Function<byte[], NormalDn> names) {
    byte[] type = value(entry, "reqType");
    byte[] dn = value(entry, "reqDN");
    byte[] csn = value(entry, "entryCSN");
    Csn count = csn == null ? null : Csn.parse(csn);
    if (type == null || dn == null || count == null) {
      return null;
    }
    byte[] renamed = value(entry, "reqNewDN");
    byte[] uuid = value(entry, "reqEntryUUID");
    return new LogRecord(
        type(type),
        names.apply(dn),
        renamed == null ? null : names.apply(renamed),
        uuid == null ? null : Uuid.parse(uuid),
        count);
  }

  private static ChangeType type(byte[] type) {
    return switch (new String(type, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT)) {
      case "add" -> ChangeType.ADD;
      case "modify" -> ChangeType.MODIFY;
      case "modrdn" -> ChangeType.MODRDN;
      case "delete" -> ChangeType.DELETE;
      default -> ChangeType.OTHER;
    };
  }

  /** Returns the first value of an attribute; null if there is none. */
  static byte @Nullable [] value(SearchEntry entry, String attribute) {
    for (AttributeOctets one : entry.attributes()) {
      if (attribute.equalsIgnoreCase(new String(one.type(), StandardCharsets.UTF_8))) {
        List<byte[]> values = one.values();
        return values.isEmpty() ? null : values.get(0);
      }
    }
    return null;
  }

  /** True if the changed entry exists and can be identified, so that it is read. */
  boolean needsRead() {
    return entry != null
        && (type == ChangeType.ADD || type == ChangeType.MODIFY || type == ChangeType.MODRDN);
  }
}
