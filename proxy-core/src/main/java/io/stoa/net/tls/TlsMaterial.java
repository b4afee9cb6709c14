// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The contents of the files of a {@link TlsConfig}, complete and matching each other.
 *
 * <p>Threading: immutable.
 *
 * @param chain the own certificate, followed by its intermediate certificates; empty if there is
 *     none
 * @param key the private key; null if there is none
 * @param trusted the trusted authorities; empty for those of the Java runtime
 * @param lists certificate revocation lists; empty if revocation is not checked
 */
record TlsMaterial(
    List<X509Certificate> chain,
    @Nullable PrivateKey key,
    List<X509Certificate> trusted,
    List<RevocationList> lists) {
  /** Maximum size of a file in octets: 4 MiB. A larger file is not a certificate or key. */
  private static final int MAX_OCTETS = 4 * 1024 * 1024;

  /** Maximum size of a file of revocation lists in octets: 64 MiB, over a million entries. */
  private static final int MAX_LIST_OCTETS = 64 * 1024 * 1024;

  /** Octets of the first buffer for a file. */
  private static final int BLOCK = 8192;

  /** Returns the earliest expiry in the own certificate chain; null without a certificate. */
  @Nullable Instant expires() {
    return chain.stream()
        .map(certificate -> certificate.getNotAfter().toInstant())
        .min(Instant::compareTo)
        .orElse(null);
  }

  /**
   * Reads all files.
   *
   * @throws TlsException if a file cannot be used, or the key does not match the certificate
   */
  static TlsMaterial read(TlsConfig config) throws TlsException {
    List<X509Certificate> trusted = certificates(config.ca());
    List<X509Certificate> chain = certificates(config.certificate());
    List<RevocationList> lists = new ArrayList<>();
    for (Path file : config.crl()) {
      lists.addAll(RevocationList.parse(file, octets(file, MAX_LIST_OCTETS)));
    }
    Path key = config.key();
    if (key == null) {
      return new TlsMaterial(chain, null, trusted, lists);
    }
    return new TlsMaterial(
        chain, key(key, config.keyPasswordFile(), chain.get(0)), trusted, List.copyOf(lists));
  }

  /** Returns a digest of all files, by which a later change is detected. */
  static byte[] digest(TlsConfig config) throws TlsException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Path file :
          Arrays.asList(
              config.certificate(), config.key(), config.keyPasswordFile(), config.ca())) {
        byte[] octets = file == null ? new byte[0] : octets(file);
        digest.update(digest.digest(octets));
        Arrays.fill(octets, (byte) 0);
      }
      for (Path file : config.crl()) {
        digest.update(digest.digest(octets(file, MAX_LIST_OCTETS)));
      }
      return digest.digest();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static List<X509Certificate> certificates(@Nullable Path file) throws TlsException {
    if (file == null) {
      return List.of();
    }
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      List<X509Certificate> found =
          factory.generateCertificates(new ByteArrayInputStream(octets(file))).stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (found.isEmpty()) {
        throw new TlsException(file + " contains no certificate", null);
      }
      return found;
    } catch (GeneralSecurityException e) {
      throw new TlsException(file + " is not a file of certificates in PEM format", e);
    }
  }

  private static PrivateKey key(Path file, @Nullable Path passwordFile, X509Certificate certificate)
      throws TlsException {
    String text = new String(octets(file), StandardCharsets.ISO_8859_1);
    char[] password = passwordFile == null ? new char[0] : firstLine(passwordFile);
    String algorithm = certificate.getPublicKey().getAlgorithm();
    try {
      PrivateKey key = PrivateKeyFile.read(text, algorithm, password);
      if (!PrivateKeyFile.belongsTo(key, certificate.getPublicKey())) {
        throw new TlsException(file + " does not match the certificate", null);
      }
      return key;
    } catch (DescribedException e) {
      throw e instanceof TlsException described
          ? described
          : new TlsException(file + " " + e.getMessage(), e);
    } catch (GeneralSecurityException e) {
      throw new TlsException(
          file + " is not a private key for the " + algorithm + " certificate", e);
    } finally {
      Arrays.fill(password, '\0');
    }
  }

  /** Returns the first line. The caller zeroes it; no other copy stays on the heap. */
  private static char[] firstLine(Path file) throws TlsException {
    byte[] octets = octets(file);
    CharBuffer text = StandardCharsets.UTF_8.decode(ByteBuffer.wrap(octets));
    Arrays.fill(octets, (byte) 0);
    int length = 0;
    while (length < text.length() && text.charAt(length) != '\n' && text.charAt(length) != '\r') {
      length++;
    }
    char[] line = Arrays.copyOf(text.array(), length);
    Arrays.fill(text.array(), '\0');
    return line;
  }

  /** Returns a copy of another length, and zeroes the original. */
  private static byte[] resized(byte[] octets, int length) {
    byte[] resized = Arrays.copyOf(octets, length);
    Arrays.fill(octets, (byte) 0);
    return resized;
  }

  private static byte[] octets(Path file) throws TlsException {
    return octets(file, MAX_OCTETS);
  }

  /** Reads a file. No other copy stays on the heap. */
  private static byte[] octets(Path file, int max) throws TlsException {
    byte[] octets = new byte[BLOCK];
    try (InputStream in = Files.newInputStream(file)) {
      int length = 0;
      for (int more = 0;
          more >= 0 && length <= max;
          more = in.read(octets, length, octets.length - length)) {
        length += more;
        octets = length < octets.length ? octets : resized(octets, 2 * length);
      }
      if (length > max) {
        String kind = max == MAX_OCTETS ? "a certificate or key file" : "revocation lists";
        throw new TlsException(
            file + " is larger than " + (max >> 20) + " MiB, the maximum for " + kind, null);
      }
      return resized(octets, length);
    } catch (TlsException e) {
      throw e;
    } catch (IOException e) {
      throw new TlsException(file + ": " + FailureText.of(e), e);
    }
  }
}
