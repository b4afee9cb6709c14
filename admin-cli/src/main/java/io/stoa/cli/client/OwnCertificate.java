// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/**
 * The certificate and the private key that stoactl presents to a Stoa. Both are read with the
 * classes of the JDK alone. The SDK is on the boot class path, where its own PEM reader finds no
 * schema.
 *
 * <p>Threading: immutable.
 *
 * @param certificate PEM file of the certificate, followed by its issuers (RFC 7468)
 * @param key PEM file of the private key, in PKCS #8 (RFC 5958) and not encrypted
 */
public record OwnCertificate(Path certificate, Path key) {
  /** Maximum size of a file: 1 MiB. A chain of certificates has a few thousand octets. */
  private static final int MAX_OCTETS = 1 << 20;

  private static final String CERTIFICATE = "CERTIFICATE";
  private static final String PRIVATE_KEY = "PRIVATE KEY";
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

  /** Signature algorithms for testing a pair, by the algorithm of the key. */
  private static final Map<String, String> SIGNATURES =
      Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

  /**
   * Reads the pair.
   *
   * @throws StoaException if a file cannot be used; the message names the file and the cause
   */
  KeyManager[] managers() throws StoaException {
    X509Certificate[] chain = chain();
    PrivateKey ownKey = privateKey(chain[0].getPublicKey());
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      store.setKeyEntry("own", ownKey, new char[0], chain);
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(store, new char[0]);
      return factory.getKeyManagers();
    } catch (GeneralSecurityException | IOException e) {
      throw unusable(certificate, "cannot be used with " + key);
    }
  }

  private X509Certificate[] chain() throws StoaException {
    List<X509Certificate> chain = new ArrayList<>();
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (byte[] encoded : blocks(certificate, CERTIFICATE)) {
        Certificate read = factory.generateCertificate(new ByteArrayInputStream(encoded));
        chain.add((X509Certificate) read);
      }
    } catch (CertificateException e) {
      throw unusable(certificate, "contains an invalid certificate");
    }
    X509Certificate first = chain.get(0);
    if (first.getNotAfter().toInstant().isBefore(Instant.now())) {
      throw unusable(certificate, "expired on " + first.getNotAfter().toInstant());
    }
    return chain.toArray(X509Certificate[]::new);
  }

  private PrivateKey privateKey(PublicKey publicKey) throws StoaException {
    byte[] encoded = blocks(key, PRIVATE_KEY).get(0);
    try {
      PrivateKey candidate =
          KeyFactory.getInstance(publicKey.getAlgorithm())
              .generatePrivate(new PKCS8EncodedKeySpec(encoded));
      if (!matches(candidate, publicKey)) {
        throw unusable(key, "is not the key of " + certificate);
      }
      return candidate;
    } catch (GeneralSecurityException e) {
      throw unusable(
          key, "is not an " + publicKey.getAlgorithm() + " key, as " + certificate + " requires");
    }
  }

  /**
   * True if the public key verifies a signature of the private key, or if the algorithm cannot
   * sign.
   */
  private static boolean matches(PrivateKey candidate, PublicKey publicKey)
      throws GeneralSecurityException {
    String algorithm = SIGNATURES.get(publicKey.getAlgorithm());
    if (algorithm == null) {
      return true;
    }
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(candidate);
    signature.update(publicKey.getEncoded());
    byte[] signed = signature.sign();
    signature.initVerify(publicKey);
    signature.update(publicKey.getEncoded());
    return signature.verify(signed);
  }

  /** Returns the contents of all blocks with a label; at least one. */
  private static List<byte[]> blocks(Path file, String label) throws StoaException {
    List<byte[]> found = new ArrayList<>();
    List<String> others = new ArrayList<>();
    Matcher block = BLOCK.matcher(text(file));
    while (block.find()) {
      if (block.group(1).equals(label)) {
        found.add(decoded(file, block.group(2)));
      } else {
        others.add(block.group(1));
      }
    }
    if (found.isEmpty()) {
      throw unusable(file, "has no " + label + " in PEM form" + remedy(label, others));
    }
    return found;
  }

  private static String remedy(String label, List<String> others) {
    boolean convertible =
        label.equals(PRIVATE_KEY) && others.stream().anyMatch(one -> one.endsWith(PRIVATE_KEY));
    return convertible ? ": convert it with openssl pkcs8 -topk8 -nocrypt" : "";
  }

  private static byte[] decoded(Path file, String base64) throws StoaException {
    try {
      return Base64.getMimeDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw unusable(file, "is invalid: not Base64");
    }
  }

  private static String text(Path file) throws StoaException {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(MAX_OCTETS), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw unusable(file, "cannot be read: " + ClientFailureText.of(e));
    }
  }

  private static StoaException unusable(Path file, String reason) {
    return new StoaException(StoactlExitCode.USAGE, file + " " + reason);
  }
}
