// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;

/**
 * A part of the tree against which DNs are tested.
 *
 * <ol>
 *   <li>YES is certain: the directory's schema proves it, or the spelling is the same except for
 *       the case of ASCII letters.
 *   <li>NO is certain, as far as the schema is known.
 *   <li>Everything else, and each name that is not a DN, is MAYBE.
 * </ol>
 *
 * <p>Threading: immutable.
 *
 * @param text the DN at the top
 * @param base the same in normal form
 * @param min minimum number of RDNs below the top
 * @param max maximum number of RDNs below the top
 * @param schemaKnown true if the directory's schema has been read
 */
record DnScope(String text, NormalDn base, int min, int max, boolean schemaKnown) {
  private static final String BELOW = "**,";
  private static final String CHILDREN = "*,";

  /** Returns the entry of a DN and all entries below it. */
  static DnScope subtree(String dn, ServerProfile profile) {
    return of(dn, 0, Integer.MAX_VALUE, profile);
  }

  /** Returns the part that a DN, {@code *,DN} or {@code **,DN} describes. */
  static DnScope pattern(String text, ServerProfile profile) {
    if (text.startsWith(BELOW)) {
      return of(text.substring(BELOW.length()), 1, Integer.MAX_VALUE, profile);
    }
    return text.startsWith(CHILDREN)
        ? of(text.substring(CHILDREN.length()), 1, 1, profile)
        : of(text, 0, 0, profile);
  }

  private static DnScope of(String dn, int min, int max, ServerProfile profile) {
    String stripped = dn.strip();
    NormalDn base = NormalDn.of(stripped.getBytes(UTF_8), profile);
    return new DnScope(stripped, base, min, max, !profile.equals(ServerProfile.EXACT));
  }

  /** Returns whether an entry is in this part. */
  RuleMatch contains(DnTarget target) {
    NormalDn name = target.name();
    if (!name.isDn()) {
      return RuleMatch.MAYBE;
    }
    int below = name.depth() - base.depth();
    if (below < min || below > max) {
      return RuleMatch.NO;
    }
    if (name.isSurelyBelowOrEqual(base) || isSpelledBelow(target.text())) {
      return RuleMatch.YES;
    }
    boolean possible = name.isBelowOrEqual(base) || (schemaKnown && name.isUncertain(base));
    return possible ? RuleMatch.MAYBE : RuleMatch.NO;
  }

  /**
   * Returns whether an operation affects entries in this part: MAYBE if the target lies above it
   * and the operation reaches down.
   */
  RuleMatch affectedBy(DnTarget target) {
    RuleMatch inside = contains(target);
    return inside == RuleMatch.NO && isReachedFrom(target) ? RuleMatch.MAYBE : inside;
  }

  private boolean isReachedFrom(DnTarget target) {
    int above = base.depth() - target.name().depth();
    return above >= 0
        && above <= target.reach()
        && (base.isBelowOrEqual(target.name()) || (schemaKnown && base.isUncertain(target.name())));
  }

  private boolean isSpelledBelow(String name) {
    int start = name.length() - text.length();
    if (text.isEmpty() || start < 0 || !equalsIgnoringAsciiCase(name, start)) {
      return text.isEmpty();
    }
    return start == 0 || (start > 1 && name.charAt(start - 1) == ',' && isPlain(name, start));
  }

  private boolean equalsIgnoringAsciiCase(String name, int start) {
    for (int index = 0; index < text.length(); index++) {
      if (lower(name.charAt(start + index)) != lower(text.charAt(index))) {
        return false;
      }
    }
    return true;
  }

  private static char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? (char) (letter + ('a' - 'A')) : letter;
  }

  /** True if the part before an index has no escape or quote, so that its comma separates. */
  private static boolean isPlain(String name, int end) {
    for (int index = 0; index < end; index++) {
      if (name.charAt(index) == '\\' || name.charAt(index) == '"') {
        return false;
      }
    }
    return true;
  }
}
