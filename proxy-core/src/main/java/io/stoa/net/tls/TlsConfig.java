// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import static io.stoa.net.transport.InvalidConfigException.refuse;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * TLS settings of one side of Stoa: the certificate that it presents and the authorities that it
 * trusts.
 *
 * <p>Threading: immutable.
 *
 * @param certificate PEM file of the own certificate, followed by its intermediate certificates;
 *     null for a client without a certificate
 * @param key PEM file of the private key in PKCS #8; null if and only if there is no certificate
 * @param keyPasswordFile file whose first line decrypts the key; null if the key is not encrypted
 * @param ca PEM file of the trusted authorities; null for a client that trusts those of the Java
 *     runtime
 * @param clientAuth policy of a server for client certificates
 * @param protocols enabled versions of TLS: {@code TLSv1.2}, {@code TLSv1.3}
 * @param ciphers names of cipher suites as Java spells them; empty for Stoa's default list
 * @param provider the TLS implementation
 * @param crl files of certificate revocation lists; empty if revocation is not checked
 */
public record TlsConfig(
    @Nullable Path certificate,
    @Nullable Path key,
    @Nullable Path keyPasswordFile,
    @Nullable Path ca,
    ClientAuthentication clientAuth,
    List<String> protocols,
    List<String> ciphers,
    TlsProvider provider,
    List<Path> crl) {

  /** Versions of TLS that may be enabled. Older versions are insecure. */
  public static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

  /**
   * Settings of a client that presents no certificate and trusts the authorities of the Java
   * runtime.
   */
  public static final TlsConfig DEFAULTS =
      new TlsConfig(
          null,
          null,
          null,
          null,
          ClientAuthentication.NONE,
          PROTOCOLS,
          List.of(),
          TlsProvider.AUTO,
          List.of());

  public TlsConfig {
    protocols = List.copyOf(protocols);
    ciphers = List.copyOf(ciphers);
    crl = List.copyOf(crl);
    refuse(
        certificate == null != (key == null),
        "certificate",
        " and ",
        "key",
        " must be set together");
    refuse(
        keyPasswordFile != null && key == null,
        "keyPasswordFile",
        " is set, but ",
        "key",
        " is not");
    refuse(
        protocols.isEmpty() || !Set.copyOf(PROTOCOLS).containsAll(protocols),
        "protocols",
        " must be TLSv1.3, TLSv1.2 or both");
    refuse(
        clientAuth != ClientAuthentication.NONE && ca == null,
        "clientAuth",
        " requires ",
        "clientCa",
        ": the authorities that issue client certificates");
  }

  /** Returns a copy with another certificate and key. */
  public TlsConfig identity(@Nullable Path chain, @Nullable Path privateKey) {
    return new TlsConfig(
        chain, privateKey, keyPasswordFile, ca, clientAuth, protocols, ciphers, provider, crl);
  }

  /** Returns a copy with other trusted authorities. */
  public TlsConfig trusting(Path authorities) {
    return new TlsConfig(
        certificate,
        key,
        keyPasswordFile,
        authorities,
        clientAuth,
        protocols,
        ciphers,
        provider,
        crl);
  }

  /** Returns a copy that checks certificates against these revocation lists. */
  public TlsConfig crl(Path... lists) {
    return new TlsConfig(
        certificate,
        key,
        keyPasswordFile,
        ca,
        clientAuth,
        protocols,
        ciphers,
        provider,
        List.of(lists));
  }

  /** Returns a copy with another TLS implementation. */
  public TlsConfig provider(TlsProvider other) {
    return new TlsConfig(
        certificate, key, keyPasswordFile, ca, clientAuth, protocols, ciphers, other, crl);
  }
}
