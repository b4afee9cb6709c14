// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import io.netty.handler.ssl.CipherSuiteFilter;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.stoa.net.transport.FailureText;
import java.security.PrivateKey;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLException;

/**
 * The role of a TLS context.
 *
 * <p>Threading: immutable.
 */
enum TlsSide {
  /** Accepts connections of clients. */
  SERVER,
  /** Connects to servers whose certificate must match the requested name. */
  CLIENT,
  /** Connects to servers whose certificate may have any name. */
  CLIENT_OF_ANY_NAME;

  /**
   * Default cipher suites. All have forward secrecy and authenticated encryption; older ones must
   * be configured by name.
   */
  private static final List<String> SAFE_CIPHERS =
      List.of(
          "TLS_AES_128_GCM_SHA256",
          "TLS_AES_256_GCM_SHA384",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

  /**
   * Seconds for which a session may be resumed: 3,600. A client certificate is not verified again
   * in this time.
   */
  private static final int SESSION_SECONDS = 3600;

  private static final int SESSIONS = 20_000;

  /** The JDK's name for host name verification of RFC 4513, section 3.1.3. */
  private static final String LDAP_NAMES = "LDAPS";

  /**
   * Creates Netty's context.
   *
   * @throws TlsException if the implementation refuses the settings or files
   */
  SslContext build(TlsConfig config, TlsMaterial material) throws TlsException {
    SslContextBuilder builder = builder(config, material).sslProvider(config.provider().resolve());
    builder.protocols(config.protocols()).sessionTimeout(SESSION_SECONDS);
    builder.sessionCacheSize(SESSIONS).ciphers(ciphers(config), filter(config));
    if (!material.lists().isEmpty()) {
      builder.trustManager(RevocationList.trust(material));
    } else if (!material.trusted().isEmpty()) {
      builder.trustManager(material.trusted());
    }
    try {
      SslContext context = builder.build();
      resumable(context);
      return context;
    } catch (SSLException | IllegalArgumentException e) {
      throw new TlsException("TLS cannot be set up: " + refusal(config, e), e);
    }
  }

  /** Returns why the implementation refuses the settings. Its message names their kind. */
  private static String refusal(TlsConfig config, Exception refused) {
    String message = String.valueOf(refused.getMessage()).toLowerCase(Locale.ROOT);
    if (!config.ciphers().isEmpty() && message.contains("cipher")) {
      return "unsupported cipher suite in " + config.ciphers();
    }
    return message.contains("protocol")
        ? "unsupported TLS version in " + config.protocols()
        : FailureText.of(refused);
  }

  private SslContextBuilder builder(TlsConfig config, TlsMaterial material) {
    PrivateKey key = material.key();
    if (this == SERVER) {
      if (key == null) {
        throw new IllegalArgumentException("TLS listeners require certificate and key");
      }
      return SslContextBuilder.forServer(key, material.chain())
          .clientAuth(config.clientAuth().mode());
    }
    SslContextBuilder client =
        SslContextBuilder.forClient()
            .endpointIdentificationAlgorithm(this == CLIENT ? LDAP_NAMES : null);
    return key == null ? client : client.keyManager(key, material.chain());
  }

  private static List<String> ciphers(TlsConfig config) {
    return config.ciphers().isEmpty() ? SAFE_CIPHERS : config.ciphers();
  }

  /**
   * Returns the filter of cipher suites. An unknown configured suite is an error. Default suites
   * that the implementation lacks are skipped.
   */
  private static CipherSuiteFilter filter(TlsConfig config) {
    return config.ciphers().isEmpty()
        ? SupportedCipherSuiteFilter.INSTANCE
        : IdentityCipherSuiteFilter.INSTANCE;
  }

  /** Enables session tickets. BoringSSL creates the keys and rotates them, since none are given. */
  private void resumable(SslContext context) {
    if (this == SERVER && context.sessionContext() instanceof OpenSslSessionContext sessions) {
      sessions.setTicketKeys();
    }
  }
}
