// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Prints the certificates that Java trusts by default; runs in the image. Stateless. */
final class TrustedAuthorities {
  private TrustedAuthorities() {}

  public static void main(String[] arguments) throws GeneralSecurityException {
    String algorithm = TrustManagerFactory.getDefaultAlgorithm();
    TrustManagerFactory factory = TrustManagerFactory.getInstance(algorithm);
    factory.init((KeyStore) null);
    for (TrustManager manager : factory.getTrustManagers()) {
      for (Certificate certificate : ((X509TrustManager) manager).getAcceptedIssuers()) {
        System.out.println(fingerprint(certificate));
      }
    }
  }

  /** The fingerprints of the certificates that the package ca-certificates has from Mozilla. */
  static Set<String> ofMozilla() throws IOException, GeneralSecurityException {
    Set<String> fingerprints = new TreeSet<>();
    CertificateFactory certificates = CertificateFactory.getInstance("X.509");
    for (String name : Commands.run("dpkg-query", "-L", "ca-certificates").ok().split("\n")) {
      if (name.matches("/usr/share/ca-certificates/mozilla/.*\\.crt")) {
        try (InputStream in = Files.newInputStream(Path.of(name))) {
          fingerprints.add(fingerprint(certificates.generateCertificate(in)));
        }
      }
    }
    return fingerprints;
  }

  private static String fingerprint(Certificate certificate) throws GeneralSecurityException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    return HexFormat.of().formatHex(digest.digest(certificate.getEncoded()));
  }
}
