// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import com.unboundid.util.ssl.TrustAllSSLSocketVerifier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.net.SocketFactory;

/**
 * Connects to a Stoa. Name lookup, connect, TLS and the check that a Stoa answers have one deadline
 * together. Each later answer has its own.
 *
 * <p>Threading: immutable.
 *
 * @param timeout maximum time of each wait
 */
public record AdminConnector(Endpoint endpoint, Tls tls, Duration timeout) {
  /** Host for the SDK, which requires one even for a local socket. */
  private static final String NO_HOST = "127.0.0.1";

  /** Time in ns that a wait lasts without a report: 3 s, longer than most starts of Stoa. */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Pause in ms between two attempts to reach a starting Stoa. */
  private static final long PAUSE_MILLIS = 100;

  /**
   * Returns a connection to a Stoa, not bound yet.
   *
   * @throws StoaException if there is none
   */
  public StoaClient connect() throws StoaException {
    CompletableFuture<StoaClient> result = new CompletableFuture<>();
    Thread thread = new Thread(() -> open(result), "stoactl-connect");
    thread.setDaemon(true);
    thread.start();
    try {
      return result.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StoaException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new StoaException(StoactlExitCode.UNREACHABLE, endpoint + " timed out");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoaException(StoactlExitCode.UNREACHABLE, "interrupted");
    } finally {
      result.cancel(false);
    }
  }

  /**
   * Retries until a Stoa listens and is ready. The connection is not bound yet.
   *
   * @param maxTime maximum time, from now
   * @param onWait receives the reason of the wait once it lasts 3 s, and each other reason later
   * @throws StoaException if the time is over, or if the server is not a Stoa
   */
  public StoaClient connectWhenReady(Duration maxTime, Consumer<String> onWait)
      throws StoaException {
    long start = System.nanoTime();
    String reported = "";
    while (true) {
      long waited = System.nanoTime() - start;
      try {
        StoaClient client = connect();
        client.requireReady();
        return client;
      } catch (StoaException e) {
        if (waited >= maxTime.toNanos() || e.code() != StoactlExitCode.UNREACHABLE) {
          throw e;
        }
        String reason = String.valueOf(e.getMessage());
        if (waited >= SILENT_NANOS && !reason.equals(reported)) {
          onWait.accept(reason);
          reported = reason;
        }
      }
      pause();
    }
  }

  private static void pause() throws StoaException {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoaException(StoactlExitCode.UNREACHABLE, "interrupted");
    }
  }

  /**
   * Opens a connection, and closes it again if the caller no longer waits or the server is not a
   * Stoa.
   */
  private void open(CompletableFuture<StoaClient> result) {
    try {
      StoaClient client = new StoaClient(endpoint, connection());
      boolean passedOn = false;
      try {
        client.verifyStoa();
        passedOn = result.complete(client);
      } finally {
        if (!passedOn) {
          client.close();
        }
      }
    } catch (StoaException e) {
      boolean plain = tls.startTls() == Tls.StartTls.NONE;
      result.completeExceptionally(plain ? e.ofFirst(endpoint) : e);
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  private LDAPConnection connection() throws StoaException {
    try {
      LDAPConnection connection =
          endpoint.scheme() == Endpoint.Scheme.LDAPI
              ? new LDAPConnection(sockets(), options(), NO_HOST, 1)
              : new LDAPConnection(sockets(), options(), endpoint.host(), endpoint.port());
      boolean started = false;
      try {
        startTls(connection);
        started = true;
      } finally {
        if (!started) {
          connection.close();
        }
      }
      return connection;
    } catch (LDAPException e) {
      throw StoaException.of(e, endpoint);
    }
  }

  private SocketFactory sockets() throws StoaException {
    return switch (endpoint.scheme()) {
      case LDAP -> SocketFactory.getDefault();
      case LDAPS -> tls.sockets();
      case LDAPI -> LocalSocket.factory(Path.of(endpoint.host()));
    };
  }

  private LDAPConnectionOptions options() {
    int millis = Math.toIntExact(timeout.toMillis());
    LDAPConnectionOptions options = new LDAPConnectionOptions();
    options.setConnectTimeoutMillis(millis);
    options.setResponseTimeoutMillis(millis);
    options.setFollowReferrals(false);
    options.setSSLSocketVerifier(
        TrustAllSSLSocketVerifier.getInstance()); // NamedSockets verifies the host
    return options;
  }

  /**
   * Protects the connection by StartTLS. If the server refuses, the connection stays unprotected
   * only in mode TRIED.
   */
  private void startTls(LDAPConnection connection) throws LDAPException, StoaException {
    if (tls.startTls() == Tls.StartTls.NONE) {
      return;
    }
    try {
      connection.processExtendedOperation(new StartTLSExtendedRequest(tls.sockets()));
    } catch (LDAPException e) {
      if (e.getResultCode().isClientSideResultCode()) {
        throw e;
      }
      if (tls.startTls() == Tls.StartTls.NEEDED) {
        throw new StoaException(
            StoactlExitCode.UNREACHABLE,
            endpoint + " refuses StartTLS: " + e.getResultCode().getName());
      }
    }
  }
}
