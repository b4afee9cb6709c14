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
 * How far a sync search has come, as OpenLDAP writes it: {@code rid=001,csn=CSN;CSN}. It holds one
 * CSN for each server ID, or, while a search persists, that of the last change alone. Immutable.
 */
public final class Cookie {
  /** A cookie that says nothing. */
  public static final Cookie NONE = new Cookie(new TreeMap<>());

  private static final String CSN_PART = "csn=";

  /** By server IDs. */
  private final SortedMap<String, Csn> csns;

  private Cookie(SortedMap<String, Csn> csns) {
    this.csns = csns;
  }

  /** Makes it of CSNs, such as the values of a contextCSN; what is none is left out. */
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

  /**
   * Reads what a server has sent. What it says of itself (rid, sid) and what is not understood is
   * left out.
   */
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

  /** Whether it says nothing: a server that is sent such a one tells everything that it has. */
  public boolean isEmpty() {
    return csns.isEmpty();
  }

  /** Whether several servers have taken what it covers. */
  boolean isOfSeveral() {
    return csns.size() > 1;
  }

  /** Whether who is here has all that who is there has. */
  boolean covers(Cookie other) {
    return other.csns.entrySet().stream().allMatch(theirs -> reaches(theirs.getValue()));
  }

  private boolean reaches(Csn csn) {
    Csn own = csns.get(csn.origin());
    return own != null && own.compareTo(csn) >= 0;
  }

  /** What both have together: of each server ID the later CSN. */
  public Cookie merge(@Nullable Cookie other) {
    if (other == null || other.isEmpty()) {
      return this;
    }
    SortedMap<String, Csn> both = new TreeMap<>(csns);
    other.csns.forEach((sid, csn) -> both.merge(sid, csn, Cookie::later));
    return new Cookie(both);
  }

  /**
   * As it is sent. It has no {@code sid=}: a provider does not tell a consumer of the changes of
   * its own server ID.
   *
   * @param rid which of the consumer's searches this is, within 0 and 999
   */
  public byte[] encode(int rid) {
    String text = "rid=%03d,".formatted(rid) + CSN_PART + texts();
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** The same as a position in a naming context. */
  public Position position(String context) {
    Position position = Position.NONE;
    for (Csn csn : csns.values()) {
      position = position.merge(csn.in(context));
    }
    return position;
  }

  /** The only CSN that it has; null if it has none or several. */
  public @Nullable Csn single() {
    return csns.size() == 1 ? csns.get(csns.firstKey()) : null;
  }

  /** The latest of its CSNs; null if it has none. */
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

  /** All CSNs, as people compare them. */
  @Override
  public String toString() {
    return texts();
  }

  private String texts() {
    return csns.values().stream().map(Csn::text).collect(Collectors.joining(";"));
  }
}
