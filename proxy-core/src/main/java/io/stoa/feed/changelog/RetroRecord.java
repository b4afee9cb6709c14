// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.RDN;
import io.stoa.ldap.protocol.Uuid;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a retro changelog says of one change. Immutable.
 *
 * @param number counts the changes of the server
 * @param id tells the record from any other of the same number; empty if that is not known
 * @param what was done
 * @param entry to what; null if the changelog does not keep that
 * @param name the entry's name before; null if the record is to be understood as anything
 * @param renamed its name after, if it was renamed and that can be told; else null
 */
record RetroRecord(
    long number,
    String id,
    What what,
    @Nullable Uuid entry,
    @Nullable String name,
    @Nullable String renamed) {
  /** Attributes that are asked for. */
  static final List<String> ATTRIBUTES =
      List.of(
          "changeNumber",
          "nsUniqueId",
          "changeType",
          "targetUniqueId",
          "targetDn",
          "newRdn",
          "newSuperior");

  /** What was modified, which nobody asks for but where it matters: it may be large, or secret. */
  static final String CHANGES = "changes";

  /** What was done to an entry. */
  enum What {
    ADD,
    DELETE,
    MODIFY,
    MODRDN,
    /** Nobody knows. */
    ANYTHING,
    /** The record is not there. */
    MISSING
  }

  /** Reads one; null if it has no number. */
  static @Nullable RetroRecord of(Entry record) {
    Long number = record.getAttributeValueAsLong("changeNumber");
    if (number == null) {
      return null;
    }
    String id = record.getAttributeValue("nsUniqueId");
    String target = record.getAttributeValue("targetUniqueId");
    Uuid entry = target == null ? null : Uuid.parse(target.getBytes(StandardCharsets.US_ASCII));
    String name = record.getAttributeValue("targetDn");
    What what = what(record.getAttributeValue("changeType"));
    String renamed = what == What.MODRDN ? renamed(record, name) : null;
    return new RetroRecord(number, id == null ? "" : id, what, entry, name, renamed);
  }

  /** Of a number of which there is no record though there is a later one. */
  static RetroRecord missing(long number) {
    return new RetroRecord(number, "", What.MISSING, null, null, null);
  }

  boolean isModification() {
    return what == What.MODIFY;
  }

  boolean isMissing() {
    return what == What.MISSING;
  }

  private static What what(@Nullable String type) {
    return switch (type == null ? "" : type.toLowerCase(Locale.ROOT)) {
      case "add" -> What.ADD;
      case "delete" -> What.DELETE;
      case "modify" -> What.MODIFY;
      case "modrdn", "moddn" -> What.MODRDN;
      default -> What.ANYTHING;
    };
  }

  private static @Nullable String renamed(Entry record, @Nullable String name) {
    String rdn = record.getAttributeValue("newRdn");
    String superior = record.getAttributeValue("newSuperior");
    if (rdn == null || name == null) {
      return null;
    }
    try {
      DN above = superior == null ? new DN(name).getParent() : new DN(superior);
      RDN own = new RDN(rdn);
      return (above == null ? new DN(own) : new DN(own, above)).toString();
    } catch (LDAPException e) {
      return null;
    }
  }
}
