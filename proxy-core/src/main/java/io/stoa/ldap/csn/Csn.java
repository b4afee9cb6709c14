// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.csn;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A change sequence number of OpenLDAP, as entryCSN and contextCSN hold it: time, count, server ID
 * and modification number. The order of the texts is the order of the changes.
 *
 * <p>Threading: immutable.
 */
public record Csn(String text) implements Comparable<Csn> {
  /**
   * The form of a CSN: 0 stands for a digit, F for a hexadecimal digit, and any other character for
   * itself.
   */
  private static final String FORM = "00000000000000.000000Z#FFFFFF#FFF#FFFFFF";

  /**
   * A year in which no change is made. A CSN of this year is a substitute, see {@link
   * #substituteFor}.
   */
  private static final String SUBSTITUTE_YEAR = "9999";

  private static final int SECONDS = 14;
  private static final int DIGITS = 20;
  private static final int HEX = 15;
  private static final int HEX_BASE = 16;
  private static final int ORIGIN_FROM = 30;
  private static final int ORIGIN_TO = 33;

  public Csn {
    if (!isCsn(text)) {
      throw new IllegalArgumentException("not a change sequence number");
    }
  }

  /** Parses a CSN; null if the octets are not one. */
  public static @Nullable Csn parse(byte[] octets) {
    String text = new String(octets, StandardCharsets.ISO_8859_1);
    return isCsn(text) ? new Csn(text) : null;
  }

  private static boolean isCsn(String text) {
    boolean fits = text.length() == FORM.length();
    for (int i = 0; fits && i < text.length(); i++) {
      fits = fits(text.charAt(i), FORM.charAt(i));
    }
    return fits;
  }

  private static boolean fits(char octet, char form) {
    return switch (form) {
      case '0' -> octet >= '0' && octet <= '9';
      case 'F' -> HexFormat.isHexDigit(octet);
      default -> octet == form;
    };
  }

  /**
   * Returns a substitute for the state of an entry on servers without CSNs: a digest of its octets.
   * Equal octets have equal substitutes. Substitutes have no order in time.
   */
  public static Csn substituteFor(byte[] entry) {
    try {
      BigInteger digest = new BigInteger(1, MessageDigest.getInstance("SHA-256").digest(entry));
      BigInteger[] parts = digest.divideAndRemainder(BigInteger.TEN.pow(DIGITS));
      String digits = ("0".repeat(DIGITS) + parts[1]).substring(parts[1].toString().length());
      digits = SUBSTITUTE_YEAR + digits.substring(SUBSTITUTE_YEAR.length());
      String hex = "0".repeat(HEX) + parts[0].toString(HEX_BASE);
      hex = hex.substring(hex.length() - HEX);
      return new Csn(
          "%s.%sZ#%s#%s#%s"
              .formatted(
                  digits.substring(0, SECONDS),
                  digits.substring(SECONDS),
                  hex.substring(0, 6),
                  hex.substring(6, 9),
                  hex.substring(9)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** True if the order tells which of two states is later; false for a substitute. */
  public boolean isOrdered() {
    return !text.startsWith(SUBSTITUTE_YEAR);
  }

  /** Returns the ID of the server that made the change. */
  public String origin() {
    return text.substring(ORIGIN_FROM, ORIGIN_TO);
  }

  /** Returns the time of the change by that server's clock, in seconds since 1970. */
  public long seconds() {
    LocalDateTime when = LocalDateTime.of(digits(0, 4), 1, 1, 0, 0);
    return when.plusMonths(digits(4, 6) - 1L)
        .plusDays(digits(6, 8) - 1L)
        .plusHours(digits(8, 10))
        .plusMinutes(digits(10, 12))
        .plusSeconds(digits(12, SECONDS))
        .toEpochSecond(ZoneOffset.UTC);
  }

  private int digits(int from, int to) {
    return Integer.parseInt(text.substring(from, to));
  }

  /**
   * Returns the position of a server that has this change of a naming context and nothing else.
   *
   * @param context the naming context, as positions name it ({@link PositionReader})
   */
  public Position toPosition(String context) {
    return Position.of(Map.of(context + Position.CONTEXT_END + origin(), text));
  }

  /**
   * Returns the last change of the same server that a position contains; null if there is none.
   *
   * @param context the naming context, as positions name it
   */
  public @Nullable Csn lastIn(Position position, String context) {
    String mark = position.mark(context + Position.CONTEXT_END + origin());
    return mark == null ? null : parse(mark.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Override
  public int compareTo(Csn other) {
    return text.compareTo(other.text);
  }
}
