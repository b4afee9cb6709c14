// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.external;

import io.stoa.net.peer.LocalUser;
import io.stoa.net.peer.Peer;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Matches users of local sockets: {@code uid=N}, {@code gid=N}, both, or {@code *} for all.
 *
 * <p>Threading: immutable.
 *
 * @param uid user ID in decimal; null for any
 * @param gid effective group ID in decimal; null for any
 */
record SocketPattern(@Nullable String uid, @Nullable String gid) implements PeerPattern {
  static final String FORM = "uid=N, gid=N, uid=N gid=N or *";

  private static final String UID = "uid";
  private static final String GID = "gid";
  private static final Pattern SYNTAX =
      Pattern.compile("(?:uid=(\\d{1,10})(?= |$))? ?(?:gid=(\\d{1,10}))?");

  /**
   * Parses a pattern.
   *
   * @throws IllegalArgumentException if it has another form
   */
  static SocketPattern parse(String text) {
    Matcher form = SYNTAX.matcher(text);
    if (text.equals("*")) {
      return new SocketPattern(null, null);
    }
    if (text.isBlank() || !text.equals(text.strip()) || !form.matches()) {
      throw new IllegalArgumentException("'" + text + "' is not of the form " + FORM);
    }
    return new SocketPattern(number(form.group(1)), number(form.group(2)));
  }

  /** Returns the canonical spelling, as used for the system's IDs. */
  private static @Nullable String number(@Nullable String digits) {
    return digits == null ? null : Integer.toUnsignedString(Integer.parseUnsignedInt(digits));
  }

  @Override
  public Set<String> names() {
    return Set.of(UID, GID);
  }

  @Override
  public @Nullable Map<String, String> match(Peer peer) {
    LocalUser user = peer.user();
    if (user == null) {
      return null;
    }
    String itsUid = Integer.toUnsignedString(user.uid());
    String itsGid = Integer.toUnsignedString(user.gid());
    boolean matches = (uid == null || uid.equals(itsUid)) && (gid == null || gid.equals(itsGid));
    return matches ? Map.of(UID, itsUid, GID, itsGid) : null;
  }
}
