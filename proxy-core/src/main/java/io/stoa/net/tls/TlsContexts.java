// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.stoa.net.transport.GuardedTask;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The TLS contexts of a proxy. A thread of its own checks their files every 2 seconds: reading
 * files and creating a context takes longer than an event loop may be blocked.
 *
 * <p>Threading: thread-safe.
 */
public final class TlsContexts implements AutoCloseable {
  private static final long PERIOD_MILLIS = 2_000;

  private final List<TlsContext> contexts = new CopyOnWriteArrayList<>();
  private final AtomicBoolean watching = new AtomicBoolean();
  private final DefaultEventExecutor watch =
      new DefaultEventExecutor(new DefaultThreadFactory("stoa-tls", true));

  /**
   * Creates a context that accepts connections of clients.
   *
   * @throws TlsException if its files cannot be used
   */
  public TlsContext server(TlsConfig config) throws TlsException {
    return add(config, TlsSide.SERVER);
  }

  /**
   * Creates a context that connects to servers.
   *
   * @param verifyHost true if a server's certificate must match the configured host name (RFC 4513,
   *     section 3.1.3)
   * @throws TlsException if its files cannot be used
   */
  public TlsContext client(TlsConfig config, boolean verifyHost) throws TlsException {
    return add(config, verifyHost ? TlsSide.CLIENT : TlsSide.CLIENT_OF_ANY_NAME);
  }

  /** Returns the state of the files of each context. */
  public List<TlsContext.Status> status() {
    return contexts.stream().map(TlsContext::status).toList();
  }

  /**
   * Returns why the certificates that the files hold now are unusable; empty if they are usable.
   *
   * @throws TlsException if the files cannot be used
   */
  public static String invalidity(TlsConfig config) throws TlsException {
    return CertificateRules.invalidity(config, TlsMaterial.read(config), Instant.now());
  }

  private TlsContext add(TlsConfig config, TlsSide side) throws TlsException {
    TlsContext context = new TlsContext(config, side);
    if (watching.compareAndSet(false, true)) {
      watch.scheduleWithFixedDelay(
          new GuardedTask("reload of TLS files", this::refresh),
          PERIOD_MILLIS,
          PERIOD_MILLIS,
          TimeUnit.MILLISECONDS);
    }
    contexts.add(context);
    return context;
  }

  private void refresh() {
    contexts.forEach(TlsContext::refresh);
  }

  /** Stops the checks and releases all contexts. Called when no more connections are made. */
  @Override
  public void close() {
    watch.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    contexts.forEach(TlsContext::close);
    contexts.clear();
  }
}
