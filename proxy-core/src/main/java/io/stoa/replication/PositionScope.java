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
 * Of which changes a position tells: of those in the naming contexts it has marks for. Stateless.
 */
final class PositionScope {
  private PositionScope() {}

  /**
   * Whether who has reached a position may be known to have such a change.
   *
   * @param name of the entry that is changed; null if it may be any
   */
  static boolean of(Position position, byte @Nullable [] name, ServerProfile profile) {
    Set<String> contexts = position.contexts();
    if (name == null) {
      return !position.isEmpty();
    }
    int depth = depth(NormalDn.of(name, profile), profile);
    String target = "," + normal(name);
    return contexts.stream()
        .anyMatch(one -> target.endsWith("," + one) && depthOf(one, profile) >= depth);
  }

  /** How deep the innermost naming context is that holds an entry; 0 if that is not known. */
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

  /** As contexts are spelled in positions. */
  private static String normal(byte[] name) {
    return new String(name, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT).replace(" ", "");
  }
}
