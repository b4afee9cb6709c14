// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which writes a position covers: writes in the naming contexts for which it has marks.
 *
 * <p>Threading: stateless.
 */
final class PositionScope {
  private PositionScope() {}

  /**
   * True if a server's having a write can be derived from its position.
   *
   * @param name name of the changed entry; null if it may be any entry
   */
  static boolean covers(Position position, byte @Nullable [] name, ServerProfile profile) {
    Set<String> contexts = position.contexts();
    if (name == null) {
      return !position.isEmpty();
    }
    int depth = depth(NormalDn.of(name, profile), profile);
    String target = "," + normal(name);
    return contexts.stream()
        .anyMatch(context -> target.endsWith("," + context) && depthOf(context, profile) >= depth);
  }

  /**
   * Returns the depth of the innermost naming context that holds an entry; 0 if it is not known.
   */
  private static int depth(NormalDn target, ServerProfile profile) {
    return profile.namingContexts().stream()
        .filter(target::isBelowOrEqual)
        .mapToInt(NormalDn::depth)
        .max()
        .orElse(0);
  }

  private static int depthOf(String context, ServerProfile profile) {
    return NormalDn.of(context.getBytes(StandardCharsets.UTF_8), profile).depth();
  }

  /** Returns a name in the spelling of the contexts in positions. */
  private static String normal(byte[] name) {
    return new String(name, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT).replace(" ", "");
  }
}
