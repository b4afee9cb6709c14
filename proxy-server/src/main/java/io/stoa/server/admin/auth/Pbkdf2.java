// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.auth;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.SecretKey;

/**
 * PBKDF2 (RFC 8018, section 5.2) with HMAC-SHA512, for passwords of octets. The JDK's own takes
 * characters only. The derived key is one block of 64 octets.
 *
 * <p>Threading: stateless.
 */
final class Pbkdf2 {
  private static final String HMAC = "HmacSHA512";
  private static final byte[] FIRST_BLOCK = {0, 0, 0, 1};
  private static final byte[] NOTHING = {0};

  private Pbkdf2() {}

  /**
   * Returns the function with the password as its key. The caller may zero the octets afterwards.
   */
  static Mac keyed(byte[] password) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new Key(password));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a Java without " + HMAC, e);
    }
  }

  /** Derives 64 octets, and then removes the key from the function. */
  static byte[] derive(Mac keyed, byte[] salt, int iterations) {
    try {
      try {
        return sum(keyed, salt, iterations);
      } finally {
        keyed.init(new Key(NOTHING));
      }
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a Java without " + HMAC, e);
    }
  }

  private static byte[] sum(Mac mac, byte[] salt, int iterations) throws GeneralSecurityException {
    mac.update(salt);
    byte[] last = mac.doFinal(FIRST_BLOCK);
    byte[] sum = last.clone();
    for (int round = 1; round < iterations; round++) {
      mac.update(last);
      mac.doFinal(last, 0);
      for (int index = 0; index < sum.length; index++) {
        sum[index] ^= last[index];
      }
    }
    Arrays.fill(last, (byte) 0);
    return sum;
  }

  /** Key over octets that the caller owns and zeroes. Threading: one thread. */
  private record Key(byte[] octets) implements SecretKey {
    private static final long serialVersionUID = 1L;

    @Override
    public String getAlgorithm() {
      return HMAC;
    }

    @Override
    public String getFormat() {
      return "RAW";
    }

    @Override
    public byte[] getEncoded() {
      return octets.clone();
    }

    @Override
    public String toString() {
      return "Key";
    }
  }
}
