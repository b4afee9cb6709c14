// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The position of a sync search, in the format of OpenLDAP: {@code rid=001,csn=CSN;CSN}.
 *
 * <p>A cookie holds one CSN for each server ID. While a search persists, a cookie holds only the
 * CSN of the last change.
 *
 * <p>Threading: immutable.
 */
public final class Cookie {
  /** The empty cookie. */
  public static final Cookie NONE = new Cookie(new TreeMap<>());

  private static final String CSN_PART = "csn=";

  /** The CSNs by server ID. */
  private final SortedMap<String, Csn> csns;

  private Cookie(SortedMap<String, Csn> csns) {
    this.csns = csns;
  }

  /**
   * Creates a cookie from CSNs, such as the values of contextCSN. Values that are no CSN are
   * ignored.
   */
  public static Cookie of(Collection<String> csns) {
    SortedMap<String, Csn> bySid = new TreeMap<>();
    for (String text : csns) {
      Csn csn = Csn.parse(text.getBytes(StandardCharsets.UTF_8));
      if (csn != null) {
        bySid.merge(csn.origin(), csn, Cookie::later);
      }
    }
    return bySid.isEmpty() ? NONE : new Cookie(bySid);
  }

  /** Decodes a cookie that a server has sent. Its rid and sid, and unknown parts, are ignored. */
  public static Cookie parse(byte[] cookie) {
    for (String part : new String(cookie, StandardCharsets.UTF_8).split(",", -1)) {
      if (part.startsWith(CSN_PART)) {
        return of(List.of(part.substring(CSN_PART.length()).split(";", -1)));
      }
    }
    return NONE;
  }

  private static Csn later(Csn one, Csn other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  /**
   * True if the cookie has no CSN. A server that is sent an empty cookie reports all its entries.
   */
  public boolean isEmpty() {
    return csns.isEmpty();
  }

  /** True if the covered changes were made on several servers. */
  boolean hasSeveralServers() {
    return csns.size() > 1;
  }

  /** True if this position includes all changes of the other one. */
  boolean covers(Cookie other) {
    return other.csns.entrySet().stream().allMatch(entry -> reaches(entry.getValue()));
  }

  private boolean reaches(Csn csn) {
    Csn ownCsn = csns.get(csn.origin());
    return ownCsn != null && ownCsn.compareTo(csn) >= 0;
  }

  /** Returns the union of both positions: for each server ID the later CSN. */
  public Cookie merge(@Nullable Cookie other) {
    if (other == null || other.isEmpty()) {
      return this;
    }
    SortedMap<String, Csn> both = new TreeMap<>(csns);
    other.csns.forEach((sid, csn) -> both.merge(sid, csn, Cookie::later));
    return new Cookie(both);
  }

  /**
   * Encodes the cookie for a request, without {@code sid=}: a provider does not report changes of
   * that server ID to the consumer.
   *
   * @param rid the number of the consumer's search, within 0 and 999
   */
  public byte[] encode(int rid) {
    String text = "rid=%03d,".formatted(rid) + CSN_PART + texts();
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns this cookie as a position in a naming context. */
  public Position position(String context) {
    Position position = Position.NONE;
    for (Csn csn : csns.values()) {
      position = position.merge(csn.toPosition(context));
    }
    return position;
  }

  /** Returns the only CSN; null if there are none or several. */
  public @Nullable Csn single() {
    return csns.size() == 1 ? csns.get(csns.firstKey()) : null;
  }

  /** Returns the latest CSN; null if there is none. */
  public @Nullable Csn newest() {
    return csns.values().stream().max(Csn::compareTo).orElse(null);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Cookie that && csns.equals(that.csns);
  }

  @Override
  public int hashCode() {
    return csns.hashCode();
  }

  /** Returns all CSNs, as administrators compare them. */
  @Override
  public String toString() {
    return texts();
  }

  private String texts() {
    return csns.values().stream().map(Csn::text).collect(Collectors.joining(";"));
  }
}
