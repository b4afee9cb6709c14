// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.auth;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a password: PBKDF2 (RFC 8018, section 5.2) with HMAC-SHA512, in the form that
 * OpenLDAP's pw-pbkdf2 has for it. Immutable.
 */
public final class PasswordHash {
  /** Fewer rounds make guessing too cheap. */
  public static final int LEAST_ROUNDS = 210_000;

  /** More would take longer than a client waits. */
  static final int MOST_ROUNDS = 10_000_000;

  /** The longest password, in octets. */
  public static final int MOST_OCTETS = 1024;

  private static final int SALT_OCTETS = 16;
  private static final Pattern FORM =
      Pattern.compile("\\{PBKDF2-SHA512}([1-9]\\d{0,7})\\$([\\w./]{11,86})\\$([\\w./]{86})");

  private final int rounds;
  private final byte[] salt;
  private final byte[] hash;

  private PasswordHash(int rounds, byte[] salt, byte[] hash) {
    this.rounds = rounds;
    this.salt = salt;
    this.hash = hash;
  }

  /**
   * Makes it of a password, with a salt that nobody else has.
   *
   * @param password 1 to {@link #MOST_OCTETS} octets; left as they are
   */
  public static PasswordHash of(byte[] password) {
    if (password.length == 0 || password.length > MOST_OCTETS) {
      throw new IllegalArgumentException("a password has 1 to " + MOST_OCTETS + " octets");
    }
    byte[] salt = new byte[SALT_OCTETS];
    new SecureRandom().nextBytes(salt);
    byte[] hash = Pbkdf2.derive(Pbkdf2.keyed(password), salt, LEAST_ROUNDS);
    return new PasswordHash(LEAST_ROUNDS, salt, hash);
  }

  /**
   * Reads what {@link #print} has written.
   *
   * @throws IllegalArgumentException if it is something else; the message does not show it
   */
  public static PasswordHash parse(String text) {
    Matcher matcher = FORM.matcher(text);
    byte[] salt = matcher.matches() ? decode(matcher.group(2)) : null;
    byte[] hash = salt == null ? null : decode(matcher.group(3));
    if (salt == null || hash == null) {
      throw new IllegalArgumentException("is not what 'stoa hash-password' prints");
    }
    int rounds = Integer.parseInt(matcher.group(1));
    if (rounds < LEAST_ROUNDS || rounds > MOST_ROUNDS) {
      throw new IllegalArgumentException(
          "has " + rounds + " rounds: " + LEAST_ROUNDS + " to " + MOST_ROUNDS + " are accepted");
    }
    return new PasswordHash(rounds, salt, hash);
  }

  /**
   * Whether it is that of the password. Takes part of a second; how long tells nothing. The
   * password is on the heap for the begin of that only, and is zeroed there.
   */
  boolean matches(ByteBuf password) {
    byte[] octets = ByteBufUtil.getBytes(password);
    Mac keyed;
    try {
      keyed = Pbkdf2.keyed(octets);
    } finally {
      Arrays.fill(octets, (byte) 0);
    }
    return MessageDigest.isEqual(hash, Pbkdf2.derive(keyed, salt, rounds));
  }

  /** As it is written in a configuration. */
  public String print() {
    return "{PBKDF2-SHA512}" + rounds + "$" + encode(salt) + "$" + encode(hash);
  }

  /** Base64 with a dot for the plus sign, and nothing behind. */
  private static String encode(byte[] octets) {
    return Base64.getEncoder().withoutPadding().encodeToString(octets).replace('+', '.');
  }

  private static byte @Nullable [] decode(String text) {
    try {
      return Base64.getDecoder()
          .decode(text.replace('.', '+').getBytes(StandardCharsets.ISO_8859_1));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PasswordHash that
        && rounds == that.rounds
        && Arrays.equals(salt, that.salt)
        && MessageDigest.isEqual(hash, that.hash);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(salt);
  }

  /** Not shown: it would reach logs. */
  @Override
  public String toString() {
    return "PasswordHash";
  }
}
