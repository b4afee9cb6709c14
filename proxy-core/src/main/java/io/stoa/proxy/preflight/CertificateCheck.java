// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.preflight;

import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * Reports the TLS session with a server: version, cipher suite, chain and expiry.
 *
 * <p>Threading: stateless.
 */
final class CertificateCheck {
  private static final String TLS = "tls";
  private static final String CERTIFICATE = "certificate";

  /** Remaining validity below which a warning is given: 30 days. */
  private static final Duration SOON = Duration.ofDays(30);

  private CertificateCheck() {}

  /**
   * Reports a session.
   *
   * @param verified true if the certificate must match the configured name
   */
  static void report(SSLSession session, boolean verified, Instant now, Findings findings) {
    findings.ok(TLS, session.getProtocol() + ", " + session.getCipherSuite());
    List<X509Certificate> chain = chain(session);
    if (chain.isEmpty()) {
      findings.warning(CERTIFICATE, "the server shows no certificate", "see upstream.tls.ciphers");
      return;
    }
    X509Certificate first = chain.get(0);
    Instant expires =
        chain.stream()
            .map(one -> one.getNotAfter().toInstant())
            .min(Instant::compareTo)
            .orElseThrow();
    String text =
        String.format(
            Locale.ROOT,
            "%s, issued by %s, chain of %d, %s; expires at %s, in %d days",
            first.getSubjectX500Principal().getName(),
            first.getIssuerX500Principal().getName(),
            chain.size(),
            verified ? "name matches" : "name not verified (upstream.tls.verifyHost)",
            expires,
            Duration.between(now, expires).toDays());
    if (Duration.between(now, expires).compareTo(SOON) < 0) {
      findings.warning(CERTIFICATE, text, "renew the certificate, or that of its issuer");
    } else {
      findings.ok(CERTIFICATE, text);
    }
  }

  private static List<X509Certificate> chain(SSLSession session) {
    List<X509Certificate> chain = new ArrayList<>();
    try {
      for (Certificate one : session.getPeerCertificates()) {
        if (one instanceof X509Certificate certificate) {
          chain.add(certificate);
        }
      }
    } catch (SSLPeerUnverifiedException e) {
      chain.clear(); // reported by the caller
    }
    return chain;
  }
}
