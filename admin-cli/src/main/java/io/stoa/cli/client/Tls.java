// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings of one command.
 *
 * <p>Threading: immutable.
 *
 * @param authorities PEM file of the trusted authorities; null for those of the system
 * @param own certificate that stoactl presents; null for none
 */
public record Tls(StartTls startTls, @Nullable Path authorities, @Nullable OwnCertificate own) {
  /** Modes of StartTLS on a connection to an {@code ldap://} URL. */
  public enum StartTls {
    /** The connection stays unprotected. */
    NONE,
    /** The connection is protected if the server supports it. */
    TRIED,
    /** The command fails if the server does not support it. */
    NEEDED
  }

  /** Returns a factory of TLS sockets. */
  SSLSocketFactory sockets() throws StoaException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          own == null ? null : own.managers(),
          authorities == null ? null : trusting(authorities),
          null);
      return new NamedSockets(context.getSocketFactory());
    } catch (IOException e) {
      throw new StoaException(
          StoactlExitCode.USAGE, authorities + " cannot be read: " + ClientFailureText.of(e));
    } catch (GeneralSecurityException e) {
      throw new StoaException(StoactlExitCode.UNREACHABLE, "TLS cannot be set up");
    }
  }

  private static TrustManager[] trusting(Path file)
      throws IOException, GeneralSecurityException, StoaException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    for (Certificate certificate : certificates(file)) {
      store.setCertificateEntry("authority " + store.size(), certificate);
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    return trust.getTrustManagers();
  }

  private static Collection<? extends Certificate> certificates(Path file)
      throws IOException, GeneralSecurityException, StoaException {
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> all =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (all.isEmpty()) {
        throw new StoaException(StoactlExitCode.USAGE, file + " contains no certificate");
      }
      return all;
    } catch (CertificateException e) {
      throw new StoaException(
          StoactlExitCode.USAGE, file + " contains no certificates in PEM form");
    }
  }
}
