// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import io.stoa.net.transport.DescribedException;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Reads private keys from PEM text (RFC 7468, sections 10 and 11).
 *
 * <p>Threading: stateless.
 */
final class PrivateKeyFile {
  private static final Pattern PEM =
      Pattern.compile("-----BEGIN ([A-Z ]*PRIVATE KEY)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");

  private PrivateKeyFile() {}

  /**
   * Reads a key.
   *
   * @param algorithm algorithm of the certificate's public key
   * @param password empty if the key is not encrypted
   * @throws DescribedException if the key has the wrong form or password
   * @throws GeneralSecurityException if the key has another algorithm or is broken
   */
  static PrivateKey read(String text, String algorithm, char[] password)
      throws GeneralSecurityException, DescribedException {
    Matcher pem = PEM.matcher(text);
    if (!pem.find()) {
      throw new DescribedException("contains no private key in PEM format");
    }
    byte[] octets = decoded(pem.group(2));
    PKCS8EncodedKeySpec encoded =
        switch (pem.group(1)) {
          case "PRIVATE KEY" -> new PKCS8EncodedKeySpec(octets);
          case "ENCRYPTED PRIVATE KEY" -> decrypt(octets, password);
          default ->
              throw new DescribedException(
                  "is not a PKCS #8 key; convert it with 'openssl pkcs8 -topk8 -nocrypt -in "
                      + "FILE'");
        };
    return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
  }

  private static byte[] decoded(String base64) throws DescribedException {
    try {
      return Base64.getMimeDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new DescribedException("is not valid Base64", e);
    }
  }

  private static PKCS8EncodedKeySpec decrypt(byte[] octets, char[] password)
      throws GeneralSecurityException, DescribedException {
    if (password.length == 0) {
      throw new DescribedException("is encrypted: set keyPasswordFile");
    }
    try {
      return decrypt(new EncryptedPrivateKeyInfo(octets), password);
    } catch (BadPaddingException | InvalidKeySpecException e) {
      throw new DescribedException("cannot be decrypted; see the password in keyPasswordFile", e);
    } catch (IOException e) {
      throw new DescribedException("is not a PKCS #8 key", e);
    }
  }

  private static PKCS8EncodedKeySpec decrypt(EncryptedPrivateKeyInfo info, char[] password)
      throws GeneralSecurityException {
    // toString of PBES2 parameters returns the name of the algorithm that decrypts the key.
    String name = info.getAlgName();
    boolean nested = name.equals("PBES2") || name.equals("1.2.840.113549.1.5.13");
    String algorithm = nested ? info.getAlgParameters().toString() : name;
    PBEKeySpec spec = new PBEKeySpec(password);
    SecretKey secret = SecretKeyFactory.getInstance(algorithm).generateSecret(spec);
    spec.clearPassword();
    Cipher cipher = Cipher.getInstance(algorithm);
    cipher.init(Cipher.DECRYPT_MODE, secret, info.getAlgParameters());
    return info.getKeySpec(cipher);
  }

  /** True if the key belongs to the public key of the certificate. Verified by a test signature. */
  static boolean belongsTo(PrivateKey key, PublicKey publicKey) throws GeneralSecurityException {
    Signature signature = Signature.getInstance(signature(publicKey.getAlgorithm()));
    signature.initSign(key);
    signature.update(publicKey.getEncoded());
    byte[] signed = signature.sign();
    signature.initVerify(publicKey);
    signature.update(publicKey.getEncoded());
    return signature.verify(signed);
  }

  private static String signature(String algorithm) {
    return switch (algorithm) {
      case "RSA" -> "SHA256withRSA";
      case "EC" -> "SHA256withECDSA";
      default -> algorithm;
    };
  }
}
