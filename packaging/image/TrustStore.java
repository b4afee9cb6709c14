// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;

/**
 * Writes certificates to a trust store of Java; packaging/image/assemble runs it as a source file.
 * The format is PKCS #12 without password, as in the cacerts of JDK 18 and newer. It has no dates
 * and no salt, so the same files in the same order give the same octets. Stateless.
 *
 * <p>Arguments: the trust store, then files with one certificate each.
 */
final class TrustStore {
  private TrustStore() {}

  public static void main(String[] arguments) throws IOException, GeneralSecurityException {
    System.setProperty("keystore.pkcs12.certProtectionAlgorithm", "NONE");
    System.setProperty("keystore.pkcs12.macAlgorithm", "NONE");
    CertificateFactory certificates = CertificateFactory.getInstance("X.509");
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    for (int i = 1; i < arguments.length; i++) {
      Path file = Path.of(arguments[i]);
      try (InputStream in = Files.newInputStream(file)) {
        store.setCertificateEntry(
            file.getFileName().toString(), certificates.generateCertificate(in));
      }
    }
    try (OutputStream out = Files.newOutputStream(Path.of(arguments[0]))) {
      store.store(out, null);
    }
  }
}
