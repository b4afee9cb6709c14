// SPDX-License-Identifier: Apache-2.0
package io.stoa.change;

import io.stoa.filter.Uuid;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** How a directory tells of its changes, and what its entries show of themselves. */
public enum FeedKind {
  /** Sync searches of OpenLDAP (RFC 4533): what an entry looks like now, by whatever name. */
  SYNCREPL("entryUUID", "entryCSN"),
  /** The retro changelog of 389-ds: what was done, with the names that entries had. */
  CHANGELOG("nsUniqueId", null);

  private final String uuid;
  private final @Nullable String state;

  FeedKind(String uuid, @Nullable String state) {
    this.uuid = uuid;
    this.state = state;
  }

  /** The attribute in which an entry shows what it is, whatever its name. */
  public String uuidAttribute() {
    return uuid;
  }

  /** A filter (RFC 4515) that finds the entry. */
  public String filter(Uuid entry) {
    return "(" + uuid + "=" + (this == CHANGELOG ? grouped(entry) : entry) + ")";
  }

  /** Four groups of eight digits. */
  private static String grouped(Uuid entry) {
    HexFormat hex = HexFormat.of();
    String digits = hex.toHexDigits(entry.high()) + hex.toHexDigits(entry.low());
    return digits.replaceAll("(.{8})(?!$)", "$1-");
  }

  /**
   * The attribute in which an entry shows which of its states it is in; null if it does not show
   * that: then only who has the changes is known to show them.
   */
  public @Nullable String stateAttribute() {
    return state;
  }

  /** Whether a modification is said to be none of the name. */
  public boolean tellsNames() {
    return this == CHANGELOG;
  }
}
