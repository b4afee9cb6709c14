// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How one side of Stoa speaks TLS: what it shows of itself and whom it trusts. Immutable.
 *
 * @param certificate PEM file of the own certificate and those between it and the root, in this
 *     order; null for a client that shows none
 * @param key PEM file of its private key, as PKCS #8; given with the certificate
 * @param keyPasswordFile file whose first line decrypts the key; null if it is not encrypted
 * @param ca PEM file of the authorities of which certificates of the other side are accepted; null
 *     for a client that trusts those of the Java runtime
 * @param clientAuth whether a server asks its clients for a certificate
 * @param protocols versions of TLS that are spoken: {@code TLSv1.2}, {@code TLSv1.3}
 * @param ciphers names of cipher suites as Java spells them; empty for those that are considered
 *     safe
 * @param provider whose implementation is used
 */
public record TlsConfig(
    @Nullable Path certificate,
    @Nullable Path key,
    @Nullable Path keyPasswordFile,
    @Nullable Path ca,
    ClientAuthentication clientAuth,
    List<String> protocols,
    List<String> ciphers,
    TlsProvider provider) {

  /** The versions that may be spoken; older ones are broken. */
  public static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

  /** A client that shows no certificate and trusts what the Java runtime trusts. */
  public static final TlsConfig DEFAULTS =
      new TlsConfig(
          null,
          null,
          null,
          null,
          ClientAuthentication.NONE,
          PROTOCOLS,
          List.of(),
          TlsProvider.AUTO);

  public TlsConfig {
    protocols = List.copyOf(protocols);
    ciphers = List.copyOf(ciphers);
    if (certificate == null != (key == null)) {
      throw new IllegalArgumentException("certificate and key are given together or not at all");
    }
    if (keyPasswordFile != null && key == null) {
      throw new IllegalArgumentException("keyPasswordFile is for a key, and none is given");
    }
    if (protocols.isEmpty() || !Set.copyOf(PROTOCOLS).containsAll(protocols)) {
      throw new IllegalArgumentException("protocols are TLSv1.3 and TLSv1.2, or one of them");
    }
    if (clientAuth != ClientAuthentication.NONE && ca == null) {
      throw new IllegalArgumentException(
          "clientAuth needs clientCa: the authorities whose clients are known");
    }
  }

  /** The same with a certificate of its own and its key. */
  public TlsConfig identity(@Nullable Path chain, @Nullable Path privateKey) {
    return new TlsConfig(
        chain, privateKey, keyPasswordFile, ca, clientAuth, protocols, ciphers, provider);
  }

  /** The same with other authorities. */
  public TlsConfig trusting(Path authorities) {
    return new TlsConfig(
        certificate, key, keyPasswordFile, authorities, clientAuth, protocols, ciphers, provider);
  }

  /** The same with another implementation. */
  public TlsConfig provider(TlsProvider other) {
    return new TlsConfig(
        certificate, key, keyPasswordFile, ca, clientAuth, protocols, ciphers, other);
  }
}
