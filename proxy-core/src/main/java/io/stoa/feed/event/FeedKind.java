// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import java.time.Duration;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The protocol by which a directory reports changes, and the attributes that identify its entries
 * and their states. Each kind is a subclass of {@code feed.syncrepl.FeedSupervisor}, which {@code
 * proxy.feeds.DirectoryFeedContext} creates. CONTRIBUTING has the steps for a new kind.
 */
public enum FeedKind {
  /** Sync searches of OpenLDAP (RFC 4533): report each changed entry whole, with its current DN. */
  SYNCREPL("entryUUID", "entryCSN", null),
  /** The accesslog of OpenLDAP: reports operations; the changed entries are read separately. */
  ACCESSLOG("entryUUID", "entryCSN", null),
  /** The retro changelog of 389-ds: reports operations, with the DNs that the entries had then. */
  CHANGELOG("nsUniqueId", null, "modifyTimestamp");

  /**
   * Maximum delay between the report of a change and its visibility to reads on the server: 400 ms.
   */
  public static final Duration SETTLE = Duration.ofMillis(400);

  private final String uuid;
  private final @Nullable String state;
  private final @Nullable String time;

  FeedKind(String uuid, @Nullable String state, @Nullable String time) {
    this.uuid = uuid;
    this.state = state;
    this.time = time;
  }

  /** Returns the attribute that identifies an entry independently of its DN. */
  public String uuidAttribute() {
    return uuid;
  }

  /** Returns a filter (RFC 4515) that matches the entry. */
  public String entryFilter(Uuid entry) {
    return "(" + uuid + "=" + (this == CHANGELOG ? grouped(entry) : entry) + ")";
  }

  /** Returns a filter for entries last changed at {@code state} or later, if entries have a CSN. */
  public String changedSinceFilter(Csn state) {
    return "(" + this.state + ">=" + state.text() + ")";
  }

  /** Formats the UUID as four groups of eight hex digits. */
  private static String grouped(Uuid entry) {
    HexFormat hex = HexFormat.of();
    String digits = hex.toHexDigits(entry.high()) + hex.toHexDigits(entry.low());
    return digits.replaceAll("(.{8})(?!$)", "$1-");
  }

  /**
   * Returns the attribute that identifies an entry's state; null if there is none. Without it, a
   * server is known to show a change only if its position covers the change.
   */
  public @Nullable String stateAttribute() {
    return state;
  }

  /**
   * Returns the attribute with the time of an entry's last change, in whole seconds. Null for kinds
   * whose entries have a state attribute.
   */
  public @Nullable String timeAttribute() {
    return time;
  }

  /**
   * True if a server's reported position may omit acknowledged writes while an earlier write is in
   * progress, as contextCSN does. The changelog is exact: reading stops at a missing change number.
   */
  public boolean mayOmitAcknowledged() {
    return this != CHANGELOG;
  }

  /** True if the feed reports renames as such, so that a modification never changes the DN. */
  public boolean reportsRenames() {
    return this == CHANGELOG;
  }
}
