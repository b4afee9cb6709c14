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
 * One record of a retro changelog.
 *
 * <p>Threading: immutable.
 *
 * @param number the change number of the server
 * @param id the ID of the record, which distinguishes records with the same number; empty if not
 *     known
 * @param type the kind of the operation
 * @param entry the UUID of the changed entry; null if the changelog does not store it
 * @param name the DN before the change; null if the record stands for any change
 * @param renamed the new DN after a rename; null if it was not renamed, or the new DN cannot be
 *     derived
 */
record RetroRecord(
    long number,
    String id,
    ChangeType type,
    @Nullable Uuid entry,
    @Nullable String name,
    @Nullable String renamed) {
  /** The attributes to read. */
  static final List<String> ATTRIBUTES =
      List.of(
          "changeNumber",
          "nsUniqueId",
          "changeType",
          "targetUniqueId",
          "targetDn",
          "newRdn",
          "newSuperior");

  /**
   * The attribute with the modifications. Read only where required, since it may be large or
   * secret.
   */
  static final String CHANGES = "changes";

  /** Kind of the operation. */
  enum ChangeType {
    ADD,
    DELETE,
    MODIFY,
    MODRDN,
    /** Unknown. */
    UNKNOWN,
    /** There is no record with this number. */
    MISSING
  }

  /** Decodes a record; null if it has no number. */
  static @Nullable RetroRecord of(Entry record) {
    Long number = record.getAttributeValueAsLong("changeNumber");
    if (number == null) {
      return null;
    }
    String id = record.getAttributeValue("nsUniqueId");
    String target = record.getAttributeValue("targetUniqueId");
    Uuid entry = target == null ? null : Uuid.parse(target.getBytes(StandardCharsets.US_ASCII));
    String name = record.getAttributeValue("targetDn");
    ChangeType type = type(record.getAttributeValue("changeType"));
    String renamed = type == ChangeType.MODRDN ? renamed(record, name) : null;
    return new RetroRecord(number, id == null ? "" : id, type, entry, name, renamed);
  }

  /** Creates a placeholder for a missing number before an existing record. */
  static RetroRecord missing(long number) {
    return new RetroRecord(number, "", ChangeType.MISSING, null, null, null);
  }

  boolean isModification() {
    return type == ChangeType.MODIFY;
  }

  boolean isMissing() {
    return type == ChangeType.MISSING;
  }

  private static ChangeType type(@Nullable String type) {
    return switch (type == null ? "" : type.toLowerCase(Locale.ROOT)) {
      case "add" -> ChangeType.ADD;
      case "delete" -> ChangeType.DELETE;
      case "modify" -> ChangeType.MODIFY;
      case "modrdn", "moddn" -> ChangeType.MODRDN;
      default -> ChangeType.UNKNOWN;
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
      RDN newRdn = new RDN(rdn);
      return (above == null ? new DN(newRdn) : new DN(newRdn, above)).toString();
    } catch (LDAPException e) {
      return null;
    }
  }
}
