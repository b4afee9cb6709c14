// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsContext;
import io.stoa.net.tls.TlsContexts;
import io.stoa.operation.TokenFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** TLS and the bearer token of the management listener. Threading: thread-safe. */
public final class ManagementProtection implements AutoCloseable {
  private final TlsContexts contexts = new TlsContexts();
  private final @Nullable TlsContext tls;
  private final @Nullable BearerToken token;

  /**
   * Reads the files.
   *
   * @param tlsConfig certificate and key; null for no TLS
   * @param tokenFile file of the token; null if none is required
   * @throws IOException if a file cannot be used; a TlsException for those of TLS
   */
  public ManagementProtection(@Nullable TlsConfig tlsConfig, @Nullable Path tokenFile)
      throws IOException {
    tls = tlsConfig == null ? null : contexts.server(tlsConfig);
    try {
      token = tokenFile == null ? null : new BearerToken(new TokenFile(tokenFile));
    } catch (IOException e) {
      contexts.close();
      throw e;
    }
  }

  @Nullable TlsContext tls() {
    return tls;
  }

  @Nullable BearerToken token() {
    return token;
  }

  /** Returns the state of the certificate files; empty without TLS. */
  List<TlsContext.Status> certificates() {
    return contexts.status();
  }

  /** Stops to read the files. */
  @Override
  public void close() {
    if (token != null) {
      token.close();
    }
    contexts.close();
  }
}
