// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;

/**
 * Implementations of TLS.
 *
 * <p>Threading: immutable.
 */
public enum TlsProvider {
  /** BoringSSL where it runs on this system, otherwise the JDK. */
  AUTO,
  /** BoringSSL: faster, and keeps plaintext off the heap. */
  OPENSSL,
  /** The JDK: runs everywhere. */
  JDK;

  /**
   * Returns Netty's name of the implementation available on this system.
   *
   * @throws TlsException if BoringSSL is requested and does not run on this system
   */
  SslProvider resolve() throws TlsException {
    if (this == JDK || (this == AUTO && !OpenSsl.isAvailable())) {
      return SslProvider.JDK;
    }
    if (!OpenSsl.isAvailable()) {
      throw new TlsException(
          "provider openssl is not available on this system; use auto or jdk", null);
    }
    return SslProvider.OPENSSL_REFCNT;
  }
}
