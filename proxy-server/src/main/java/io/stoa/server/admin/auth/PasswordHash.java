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
 * Hash of a password: PBKDF2 (RFC 8018, section 5.2) with HMAC-SHA512, in the format of OpenLDAP's
 * pw-pbkdf2.
 *
 * <p>Threading: immutable.
 */
public final class PasswordHash {
  /** Minimum number of rounds: 210,000. Fewer make guessing too cheap. */
  public static final int MIN_ROUNDS = 210_000;

  /** Maximum number of rounds: 10,000,000. More take longer than a client waits. */
  static final int MAX_ROUNDS = 10_000_000;

  /** Maximum length of a password in octets: 1,024. */
  public static final int MAX_OCTETS = 1024;

  private static final int SALT_OCTETS = 16;
  private static final Pattern FORM =
      Pattern.compile("\\{PBKDF2-SHA512}([1-9]\\d{0,7})\\$([\\w./]{11,86})\\$([\\w./]{86})");

  private final int iterations;
  private final byte[] salt;
  private final byte[] hash;

  private PasswordHash(int iterations, byte[] salt, byte[] hash) {
    this.iterations = iterations;
    this.salt = salt;
    this.hash = hash;
  }

  /**
   * Hashes a password with a new random salt.
   *
   * @param password 1 to {@link #MAX_OCTETS} octets; not modified
   */
  public static PasswordHash of(byte[] password) {
    if (password.length == 0 || password.length > MAX_OCTETS) {
      throw new IllegalArgumentException("the password must have 1 to " + MAX_OCTETS + " bytes");
    }
    byte[] salt = new byte[SALT_OCTETS];
    new SecureRandom().nextBytes(salt);
    byte[] hash = Pbkdf2.derive(Pbkdf2.keyed(password), salt, MIN_ROUNDS);
    return new PasswordHash(MIN_ROUNDS, salt, hash);
  }

  /**
   * Parses the output of {@link #print}.
   *
   * @throws IllegalArgumentException if the text is anything else; the message does not contain it
   */
  public static PasswordHash parse(String text) {
    Matcher matcher = FORM.matcher(text);
    byte[] salt = matcher.matches() ? decode(matcher.group(2)) : null;
    byte[] hash = salt == null ? null : decode(matcher.group(3));
    if (salt == null || hash == null) {
      throw new IllegalArgumentException("must be the output of 'stoa hash-password'");
    }
    int iterations = Integer.parseInt(matcher.group(1));
    if (iterations < MIN_ROUNDS || iterations > MAX_ROUNDS) {
      throw new IllegalArgumentException(
          "rounds "
              + iterations
              + " out of range: "
              + MIN_ROUNDS
              + " to "
              + MAX_ROUNDS
              + " allowed");
    }
    return new PasswordHash(iterations, salt, hash);
  }

  /**
   * True if the password has this hash. Takes a fraction of a second; the duration reveals nothing.
   * A copy of the password is on the heap only until the key is set up, and is then zeroed.
   */
  boolean matches(ByteBuf password) {
    byte[] octets = ByteBufUtil.getBytes(password);
    Mac keyed;
    try {
      keyed = Pbkdf2.keyed(octets);
    } finally {
      Arrays.fill(octets, (byte) 0);
    }
    return MessageDigest.isEqual(hash, Pbkdf2.derive(keyed, salt, iterations));
  }

  /** Returns the hash in the format of the configuration. */
  public String print() {
    return "{PBKDF2-SHA512}" + iterations + "$" + encode(salt) + "$" + encode(hash);
  }

  /** Encodes as Base64 with a dot in place of the plus sign, and without padding. */
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
        && iterations == that.iterations
        && Arrays.equals(salt, that.salt)
        && MessageDigest.isEqual(hash, that.hash);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(salt);
  }

  /** Returns a constant, so that no hash reaches a log. */
  @Override
  public String toString() {
    return "PasswordHash";
  }
}
