// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.ldap.csn.Position;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Change sequence numbers as OpenLDAP writes them, and the UUIDs of entries, made of numbers.
 * Stateless.
 */
final class SimCsn {
  /** Whose changes all are. */
  static final String SID = "001";

  /** Who has made changes once, and makes none any more. */
  private static final String FORMER_SID = "002";

  private static final String FORMER = text("20260101000000", 1, FORMER_SID);

  /** By clocks that are ahead: so nothing seems to have been done long ago. */
  private static final String AHEAD = "20990101000000";

  private SimCsn() {}

  private static String text(String second, int number, String sid) {
    String digits = String.valueOf(1_000_000 + number).substring(1);
    return second + "." + digits + "Z#000000#" + sid + "#000000";
  }

  static String text(int number) {
    return text(AHEAD, number, SID);
  }

  static String uuid(int number) {
    String digits = String.valueOf(100_000_000 + number).substring(1);
    return digits + "-0000-4000-8000-000000000000";
  }

  /** The number of the last change of an entry. */
  static int entryNumber(Entry entry) {
    return Integer.parseInt(entry.getAttributeValue(SimTree.CSN).substring(15, 21));
  }

  /** The number of the changes of which a position tells. */
  static int number(Position position) {
    String mark = position.mark(SimNames.SUFFIX + "#" + SID);
    return mark == null ? -1 : Integer.parseInt(mark.substring(15, 21));
  }

  /** How far a server has got that has all up to a number. */
  static Position position(int number) {
    return Position.of(
        Map.of(
            SimNames.SUFFIX + "#" + SID, text(number), SimNames.SUFFIX + "#" + FORMER_SID, FORMER));
  }

  /** The values of contextCSN, as a cookie has them. */
  static String vector(int number) {
    return text(number) + ";" + FORMER;
  }

  /**
   * The number of a cookie that names all who have made changes; below 0 if it does not, or is none
   * at all.
   */
  static int number(@Nullable String cookie) {
    Map<String, String> marks = new TreeMap<>();
    if (cookie != null) {
      for (String part : cookie.split("[,;=]", -1)) {
        String[] fields = part.split("#", -1);
        if (fields.length == 4) {
          marks.put(fields[2], part);
        }
      }
    }
    String mark = marks.get(SID);
    return mark == null || marks.size() != 2 ? -1 : Integer.parseInt(mark.substring(15, 21));
  }
}
