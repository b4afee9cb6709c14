// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.util.Locale;

/**
 * Pattern of the DNs of class members. Names that the directory only may consider equal do not
 * match.
 *
 * <ul>
 *   <li>a DN matches this DN only
 *   <li><code>*,</code> and a DN match all entries directly below it
 *   <li><code>uid=*,</code> and a DN match those of them whose first RDN has this type
 *   <li><code>**,</code> and a DN match all entries below it
 * </ul>
 *
 * <p>Threading: immutable.
 */
final class NamePattern {
  private static final String BELOW = "**,";
  private static final String CHILDREN = "*,";
  private static final String CHILDREN_OF_TYPE = "=*,";

  private final NormalDn base;
  private final int min;
  private final int max;
  private final String type;

  private NamePattern(NormalDn base, int min, int max, String type) {
    this.base = base;
    this.min = min;
    this.max = max;
    this.type = type;
  }

  /**
   * Parses a pattern.
   *
   * @throws IllegalArgumentException if the text is no pattern
   */
  static NamePattern of(String text, ServerProfile profile) {
    int typed = text.indexOf(CHILDREN_OF_TYPE);
    if (text.startsWith(BELOW)) {
      return pattern(text, BELOW.length(), Integer.MAX_VALUE, "", profile);
    }
    if (text.startsWith(CHILDREN)) {
      return pattern(text, CHILDREN.length(), 1, "", profile);
    }
    if (typed > 0 && isType(text.substring(0, typed))) {
      String type = text.substring(0, typed).strip().toLowerCase(Locale.ROOT) + "=";
      return pattern(text, typed + CHILDREN_OF_TYPE.length(), 1, type, profile);
    }
    return new NamePattern(dn(text, text, profile), 0, 0, "");
  }

  private static NamePattern pattern(
      String text, int start, int max, String type, ServerProfile profile) {
    return new NamePattern(dn(text.substring(start), text, profile), 1, max, type);
  }

  private static boolean isType(String text) {
    return text.strip().chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '-' || c == '.');
  }

  private static NormalDn dn(String text, String all, ServerProfile profile) {
    NormalDn dn = NormalDn.of(text.getBytes(UTF_8), profile);
    if (!dn.isDn() || dn.isRoot() || text.contains("=*,") || text.endsWith("=*")) {
      throw new IllegalArgumentException(
          "'"
              + all
              + "' is not a pattern of identities; expected a DN, optionally after '*,', "
              + "'**,' or 'type=*,'");
    }
    return dn;
  }

  /**
   * Checks the syntax of a pattern.
   *
   * @throws IllegalArgumentException if the text is no pattern
   */
  static void check(String text) {
    of(text, ServerProfile.EXACT);
  }

  /** True if a name certainly matches. */
  boolean matches(byte[] text, NormalDn name) {
    if (max == 0) {
      return name.isDn() && name.octets().equals(base.octets());
    }
    int deeper = name.depth() - base.depth();
    return deeper >= min
        && deeper <= max
        && name.isSurelyBelowOrEqual(base)
        && (type.isEmpty() || begins(text));
  }

  private boolean begins(byte[] text) {
    return new String(text, UTF_8)
        .strip()
        .replaceFirst("\\s+=", "=")
        .toLowerCase(Locale.ROOT)
        .startsWith(type);
  }
}
