// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import java.time.Duration;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** How a directory tells of its changes, and what its entries show of themselves. */
public enum FeedKind {
  /** Sync searches of OpenLDAP (RFC 4533): what an entry looks like now, by whatever name. */
  SYNCREPL("entryUUID", "entryCSN", null),
  /** The accesslog of OpenLDAP: what was done; what entries look like is read. */
  ACCESSLOG("entryUUID", "entryCSN", null),
  /** The retro changelog of 389-ds: what was done, with the names that entries had. */
  CHANGELOG("nsUniqueId", null, "modifyTimestamp");

  /** A server may show a change so much later than it is told: 400 ms. */
  public static final Duration SETTLE = Duration.ofMillis(400);

  private final String uuid;
  private final @Nullable String state;
  private final @Nullable String time;

  FeedKind(String uuid, @Nullable String state, @Nullable String time) {
    this.uuid = uuid;
    this.state = state;
    this.time = time;
  }

  /** The attribute in which an entry shows what it is, whatever its name. */
  public String uuidAttribute() {
    return uuid;
  }

  /** A filter (RFC 4515) that finds the entry. */
  public String filter(Uuid entry) {
    return "(" + uuid + "=" + (this == CHANGELOG ? grouped(entry) : entry) + ")";
  }

  /** A filter that finds what was changed last then or later, where states are shown. */
  public String since(Csn state) {
    return "(" + this.state + ">=" + state.text() + ")";
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

  /**
   * The attribute that shows, to the second, when an entry was changed last, where that has to
   * stand for its states; else null.
   */
  public @Nullable String timeAttribute() {
    return time;
  }

  /**
   * Whether a server that is asked how far it has got may leave out what it has acknowledged, while
   * an earlier write is under way, as contextCSN does. The changelog is read as far as it goes, and
   * nobody reads on beyond a number that is missing.
   */
  public boolean maySayLess() {
    return this != CHANGELOG;
  }

  /** Whether a modification is said to be none of the name. */
  public boolean tellsNames() {
    return this == CHANGELOG;
  }
}
