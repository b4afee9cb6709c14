// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;

/** Whose implementation of TLS is used. Immutable. */
public enum TlsProvider {
  /** BoringSSL where it runs on this system, the JDK's elsewhere. */
  AUTO,
  /** BoringSSL: faster, and no octet of a plaintext comes onto the heap. */
  OPENSSL,
  /** The JDK's: runs everywhere. */
  JDK;

  /**
   * Netty's name of what this system has.
   *
   * @throws TlsException if BoringSSL is asked for and does not run here
   */
  SslProvider resolve() throws TlsException {
    if (this == JDK || (this == AUTO && !OpenSsl.isAvailable())) {
      return SslProvider.JDK;
    }
    if (!OpenSsl.isAvailable()) {
      throw new TlsException("provider openssl does not run on this system; use auto or jdk", null);
    }
    return SslProvider.OPENSSL_REFCNT;
  }
}
