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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A change sequence number of OpenLDAP, as entryCSN and contextCSN hold it: time, count, server ID
 * and modification number. The order of the texts is the order of the changes.
 *
 * <p>Octets: 32. The 35 digits are packed into 126 bits, whose order is that of the texts. A text
 * with an upper-case hexadecimal digit, which no server writes, is kept as it is.
 *
 * <p>Threading: immutable.
 */
public final class Csn implements Comparable<Csn> {
  /**
   * The form of a CSN: 0 stands for a digit, F for a hexadecimal digit, and any other character for
   * itself.
   */
  private static final String FORM = "00000000000000.000000Z#FFFFFF#FFF#FFFFFF";

  /**
   * A year in which no change is made. A CSN of this year is a substitute, see {@link
   * #substituteFor}.
   */
  private static final int SUBSTITUTE_YEAR = 9999;

  private static final int SECONDS = 14;
  private static final int DIGITS = 20;
  private static final int HEX = 15;
  private static final int HEX_BASE = 16;
  private static final int HEX_BITS = 4 * HEX;

  /** Bits of the microseconds in {@code high}: 17. The other 3 are the first of {@code low}. */
  private static final int HIGH_MICROS_BITS = 17;

  private static final int LOW_MICROS_BITS = 3;
  private static final long YEAR = 10_000_000_000L;
  private static final int ORIGIN_FROM = 30;
  private static final int ORIGIN_TO = 33;

  /** The 14 digits of the time up to seconds, then the first bits of the microseconds. */
  private final long high;

  /** The last bits of the microseconds, then the 15 hexadecimal digits. Never negative. */
  private final long low;

  /** The text, if it differs from that of the packed digits by letter case; else null. */
  private final @Nullable String verbatim;

  /**
   * Creates a CSN.
   *
   * @throws IllegalArgumentException if the text is not one
   */
  public Csn(String text) {
    if (!isCsn(text)) {
      throw new IllegalArgumentException("not a change sequence number");
    }
    long micros = Long.parseLong(text, SECONDS + 1, SECONDS + 7, 10);
    this.high =
        Long.parseLong(text, 0, SECONDS, 10) << HIGH_MICROS_BITS | micros >>> LOW_MICROS_BITS;
    this.low = (micros & (1 << LOW_MICROS_BITS) - 1) << HEX_BITS | hexDigits(text);
    this.verbatim = text.equals(packedText()) ? null : text;
  }

  private static long hexDigits(String text) {
    long digits = 0;
    for (int i = SECONDS; i < text.length(); i++) {
      if (FORM.charAt(i) == 'F') {
        digits = digits << 4 | HexFormat.fromHexDigit(text.charAt(i));
      }
    }
    return digits;
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

  /** Returns the text, as the server has written it. */
  public String text() {
    return verbatim == null ? packedText() : verbatim;
  }

  private String packedText() {
    StringBuilder text = new StringBuilder(FORM);
    long micros = (high & (1L << HIGH_MICROS_BITS) - 1) << LOW_MICROS_BITS | low >>> HEX_BITS;
    long digits = high >>> HIGH_MICROS_BITS;
    long hex = low;
    for (int i = FORM.length() - 1; i >= SECONDS; i--) {
      if (FORM.charAt(i) == 'F') {
        text.setCharAt(i, Character.forDigit((int) (hex & (HEX_BASE - 1)), HEX_BASE));
        hex >>>= 4;
      } else if (FORM.charAt(i) == '0') {
        text.setCharAt(i, (char) ('0' + micros % 10));
        micros /= 10;
      }
    }
    for (int i = SECONDS - 1; i >= 0; i--) {
      text.setCharAt(i, (char) ('0' + digits % 10));
      digits /= 10;
    }
    return text.toString();
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
      String year = Integer.toString(SUBSTITUTE_YEAR);
      digits = year + digits.substring(year.length());
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
    return (high >>> HIGH_MICROS_BITS) / YEAR != SUBSTITUTE_YEAR;
  }

  /** Returns the ID of the server that made the change. */
  public String origin() {
    return text().substring(ORIGIN_FROM, ORIGIN_TO);
  }

  /** Returns the time of the change by that server's clock, in seconds since 1970. */
  public long seconds() {
    String text = text();
    LocalDateTime when = LocalDateTime.of(digits(text, 0, 4), 1, 1, 0, 0);
    return when.plusMonths(digits(text, 4, 6) - 1L)
        .plusDays(digits(text, 6, 8) - 1L)
        .plusHours(digits(text, 8, 10))
        .plusMinutes(digits(text, 10, 12))
        .plusSeconds(digits(text, 12, SECONDS))
        .toEpochSecond(ZoneOffset.UTC);
  }

  private static int digits(String text, int from, int to) {
    return Integer.parseInt(text, from, to, 10);
  }

  /**
   * Returns the position of a server that has this change of a naming context and nothing else.
   *
   * @param context the naming context, as positions name it ({@link PositionReader})
   */
  public Position toPosition(String context) {
    return Position.of(Map.of(context + Position.CONTEXT_END + origin(), text()));
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
    if (verbatim != null || other.verbatim != null) {
      return text().compareTo(other.text());
    }
    int first = Long.compareUnsigned(high, other.high);
    return first != 0 ? first : Long.compare(low, other.low);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Csn that
        && high == that.high
        && low == that.low
        && Objects.equals(verbatim, that.verbatim);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(high) * 31 + Long.hashCode(low);
  }

  @Override
  public String toString() {
    return "Csn[text=" + text() + "]";
  }
}
