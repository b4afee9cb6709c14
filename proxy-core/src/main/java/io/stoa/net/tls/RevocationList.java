// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.PKIXRevocationChecker.Option;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CRL;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A certificate revocation list (RFC 5280, section 5) and its file. Java's PKIX validation checks
 * each certificate of a chain: one whose authority has no valid list is refused. Nothing is fetched
 * from the network.
 *
 * <p>Threading: immutable.
 *
 * @param file the file from which it was read
 * @param list the list
 */
record RevocationList(Path file, X509CRL list) {
  /**
   * Parses the lists of a file in PEM or DER.
   *
   * @throws TlsException if the file contains none
   */
  static List<RevocationList> parse(Path file, byte[] octets) throws TlsException {
    try {
      List<RevocationList> lists =
          CertificateFactory.getInstance("X.509")
              .generateCRLs(new ByteArrayInputStream(octets))
              .stream()
              .map(list -> new RevocationList(file, (X509CRL) list))
              .toList();
      if (lists.isEmpty()) {
        throw new TlsException(file + " contains no certificate revocation list", null);
      }
      return lists;
    } catch (GeneralSecurityException e) {
      throw new TlsException(
          file + " is not a file of certificate revocation lists in PEM or DER format", e);
    }
  }

  /** Returns why the list is unusable at a time; empty if it is usable. */
  String invalidity(Instant now) {
    Date next = list.getNextUpdate();
    Instant from = list.getThisUpdate().toInstant();
    if (next != null && next.toInstant().isBefore(now)) {
      return "revocation list "
          + file
          + " of "
          + list.getIssuerX500Principal().getName()
          + " expired at "
          + next.toInstant()
          + "; put a newer one in its place";
    }
    return from.isAfter(now) ? "revocation list " + file + " is not valid before " + from : "";
  }

  /**
   * Returns the trust in the authorities of the material, with revocation by its lists only.
   *
   * @throws TlsException if the Java runtime refuses them
   */
  static TrustManagerFactory trust(TlsMaterial material) throws TlsException {
    try {
      Set<TrustAnchor> anchors =
          authorities(material).map(ca -> new TrustAnchor(ca, null)).collect(Collectors.toSet());
      PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, new X509CertSelector());
      parameters.addCertStore(
          CertStore.getInstance(
              "Collection",
              new CollectionCertStoreParameters(
                  material.lists().stream().map(RevocationList::list).toList())));
      PKIXRevocationChecker checker =
          (PKIXRevocationChecker) CertPathBuilder.getInstance("PKIX").getRevocationChecker();
      checker.setOptions(EnumSet.of(Option.PREFER_CRLS, Option.NO_FALLBACK));
      parameters.addCertPathChecker(checker);
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init(new CertPathTrustManagerParameters(parameters));
      return factory;
    } catch (GeneralSecurityException e) {
      throw new TlsException("revocation lists cannot be used: " + e.getMessage(), e);
    }
  }

  /** Returns the trusted authorities; those of the Java runtime if none are configured. */
  private static Stream<X509Certificate> authorities(TlsMaterial material)
      throws GeneralSecurityException {
    if (!material.trusted().isEmpty()) {
      return material.trusted().stream();
    }
    TrustManagerFactory runtime =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    @Nullable KeyStore ofRuntime = null;
    runtime.init(ofRuntime);
    return Stream.of(runtime.getTrustManagers())
        .filter(X509TrustManager.class::isInstance)
        .flatMap(one -> Stream.of(((X509TrustManager) one).getAcceptedIssuers()));
  }
}
