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
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * What is wanted of TLS. Immutable.
 *
 * @param authorities the file of those who are trusted; null for those of the system
 */
public record Tls(StartTls startTls, @Nullable Path authorities) {
  /** Whether a connection to an {@code ldap://} URL is to be protected. */
  public enum StartTls {
    /** It stays as it is. */
    NONE,
    /** If the server can. */
    TRIED,
    /** Or the command fails. */
    NEEDED
  }

  /** Makes sockets for it. */
  SSLSocketFactory sockets() throws StoaException {
    try {
      SSLContext context = authorities == null ? SSLContext.getDefault() : trusting(authorities);
      return new NamedSockets(context.getSocketFactory());
    } catch (IOException e) {
      throw new StoaException(
          ExitCode.USAGE, authorities + " cannot be read: " + e.getClass().getSimpleName());
    } catch (GeneralSecurityException e) {
      throw new StoaException(ExitCode.UNREACHABLE, "TLS: " + StoaException.rootCause(e));
    }
  }

  private static SSLContext trusting(Path file)
      throws IOException, GeneralSecurityException, StoaException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    for (Certificate certificate : certificates(file)) {
      store.setCertificateEntry("authority " + store.size(), certificate);
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static Collection<? extends Certificate> certificates(Path file)
      throws IOException, GeneralSecurityException, StoaException {
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> all =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (all.isEmpty()) {
        throw new StoaException(ExitCode.USAGE, file + " holds no certificate");
      }
      return all;
    } catch (CertificateException e) {
      throw new StoaException(ExitCode.USAGE, file + " holds no certificates in PEM form");
    }
  }
}
