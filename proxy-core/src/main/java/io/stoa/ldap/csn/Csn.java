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
 * and modification number, in order as text. Immutable.
 */
public record Csn(String text) implements Comparable<Csn> {
  /**
   * What one looks like: 0 stands for a digit, F for a hexadecimal one, and all else for itself.
   */
  private static final String FORM = "00000000000000.000000Z#FFFFFF#FFF#FFFFFF";

  /** No change is made in that year: what begins with it only stands for one. */
  private static final String NEVER = "9999";

  private static final int SECONDS = 14;
  private static final int DIGITS = 20;
  private static final int HEX = 15;
  private static final int HEX_BASE = 16;
  private static final int ORIGIN_FROM = 30;
  private static final int ORIGIN_TO = 33;

  public Csn {
    if (!isOne(text)) {
      throw new IllegalArgumentException("not a change sequence number");
    }
  }

  /** Null for what is none. */
  public static @Nullable Csn parse(byte[] octets) {
    String text = new String(octets, StandardCharsets.ISO_8859_1);
    return isOne(text) ? new Csn(text) : null;
  }

  private static boolean isOne(String text) {
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
   * Stands for the state of an entry where servers have no such numbers: it is the same for the
   * same octets, and for no others. Which of two is later it does not say.
   */
  public static Csn standingFor(byte[] entry) {
    try {
      BigInteger digest = new BigInteger(1, MessageDigest.getInstance("SHA-256").digest(entry));
      BigInteger[] parts = digest.divideAndRemainder(BigInteger.TEN.pow(DIGITS));
      String digits = ("0".repeat(DIGITS) + parts[1]).substring(parts[1].toString().length());
      digits = NEVER + digits.substring(NEVER.length());
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

  /** Whether it says which of two states is later. */
  public boolean isOrdered() {
    return !text.startsWith(NEVER);
  }

  /** The ID of the server where the change was made. */
  public String origin() {
    return text.substring(ORIGIN_FROM, ORIGIN_TO);
  }

  /** When the change was made, by the clock of that server, in seconds since 1970. */
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
   * The position of who has this change of a naming context, and nothing else.
   *
   * @param context as positions name it, {@link PositionReader}
   */
  public Position in(String context) {
    return Position.of(Map.of(context + Position.CONTEXT_END + origin(), text));
  }

  /**
   * The last change of the same server that a position has; null if it has none.
   *
   * @param context the same
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
