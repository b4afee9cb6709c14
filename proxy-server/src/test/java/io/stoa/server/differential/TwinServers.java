// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.testing.DirectoryServer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Two servers with the same data, which start at the same time. Immutable. */
record TwinServers<S extends DirectoryServer>(S direct, S behind) implements AutoCloseable {
  static <S extends DirectoryServer> TwinServers<S> start(Supplier<S> server) {
    CompletableFuture<S> other = CompletableFuture.supplyAsync(server);
    S direct = null;
    try {
      direct = server.get();
      return new TwinServers<>(direct, other.join());
    } finally {
      if (direct == null || other.isCompletedExceptionally()) {
        closeWhatStarted(direct, other);
      }
    }
  }

  private static <S extends DirectoryServer> void closeWhatStarted(
      S direct, CompletableFuture<S> other) {
    if (direct != null) {
      direct.close();
    }
    other.thenAccept(DirectoryServer::close);
  }

  @Override
  public void close() {
    behind.close();
    direct.close();
  }
}
