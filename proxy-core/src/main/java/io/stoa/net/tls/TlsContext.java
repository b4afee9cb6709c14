// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Speaks TLS for one side of Stoa with the certificates that its files hold now: when they change,
 * connections that are made from then on use the new ones, and those there are go on. Files that do
 * not fit together, as in the middle of a renewal, change nothing. A certificate that is not valid
 * now, or is for other hosts, is refused, and the one in use stays. Thread-safe.
 */
public final class TlsContext {
  private static final Logger LOG = LoggerFactory.getLogger(TlsContext.class);

  private final TlsConfig config;
  private final TlsSide side;

  /** Of the files that were looked at last, whether or not they could be used; one thread's. */
  private byte[] seen;

  /** The mistake that was told last, so that it is told once; one thread's. */
  private @Nullable String told;

  /** The files in use; written by one thread. */
  private volatile TlsMaterial inUse;

  private final LongAdder reloads = new LongAdder();
  private final LongAdder failures = new LongAdder();

  private SslContext current;

  /**
   * Reads the files.
   *
   * @throws TlsException if they cannot be used
   */
  TlsContext(TlsConfig config, TlsSide side) throws TlsException {
    this.config = config;
    this.side = side;
    this.seen = TlsMaterial.digest(config);
    TlsMaterial material = TlsMaterial.read(config);
    this.current = side.build(config, material);
    this.inUse = material;
    warnIfInvalid(material);
  }

  /**
   * What has become of the files. Immutable.
   *
   * @param ofListeners whether it is shown to clients; else to servers
   * @param expires when the first certificate of the chain in use expires; null without one
   * @param reloads how often changed files were taken into use
   * @param failures how often changed files could not be used
   */
  public record Status(
      boolean ofListeners, @Nullable Instant expires, long reloads, long failures) {}

  Status status() {
    return new Status(side == TlsSide.SERVER, inUse.expires(), reloads.sum(), failures.sum());
  }

  /**
   * Makes the handler of a connection that a client has made.
   *
   * @param patience how long the handshake may take
   */
  public SslHandler accept(ByteBufAllocator allocator, Duration patience) {
    SslHandler handler;
    synchronized (this) { // a context that is replaced meanwhile is released
      handler = current.newHandler(allocator);
    }
    handler.setHandshakeTimeoutMillis(patience.toMillis());
    return handler;
  }

  /**
   * Makes the handler of a connection to a server, with whose certificate the name is compared if
   * the context was made so. How long the handshake may take is for who connects to see to.
   */
  public SslHandler connect(ByteBufAllocator allocator, String host, int port) {
    SslHandler handler;
    synchronized (this) {
      handler = current.newHandler(allocator, host, port);
    }
    handler.setHandshakeTimeoutMillis(0);
    return handler;
  }

  /**
   * Returns a context of the files in use for connections without event loops. The caller sets host
   * name verification, versions of TLS and cipher suites.
   *
   * @throws TlsException if the Java runtime refuses the files
   */
  public SSLContext ofRuntime() throws TlsException {
    SslContext context = side.build(config.provider(TlsProvider.JDK), inUse);
    return ((JdkSslContext) context).context();
  }

  /** Looks at the files, and uses what they hold if that has changed. Called by one thread. */
  void refresh() {
    try {
      byte[] now = TlsMaterial.digest(config);
      if (!Arrays.equals(now, seen)) {
        seen = now;
        reload();
      }
    } catch (TlsException | RuntimeException e) {
      unusable(String.valueOf(e.getMessage()));
    }
  }

  /** Files that are refused for the time are read again until that has come. */
  private void reload() throws TlsException {
    TlsMaterial material = TlsMaterial.read(config);
    String invalidity = invalidity(material);
    if (!invalidity.isEmpty()) {
      seen = new byte[0];
      throw new TlsException(invalidity, null);
    }
    String misfit = misfit(material);
    if (!misfit.isEmpty()) {
      throw new TlsException(name() + " " + misfit + "; a restart takes it into use", null);
    }
    replace(side.build(config, material));
    inUse = material;
    told = null;
    reloads.increment();
    LOG.info("TLS: the files of {} were read anew; it expires at {}", name(), material.expires());
  }

  private String misfit(TlsMaterial renewed) {
    List<X509Certificate> old = inUse.chain();
    boolean comparable = side == TlsSide.SERVER && !old.isEmpty() && !renewed.chain().isEmpty();
    return comparable ? CertificateRules.misfit(old.get(0), renewed.chain().get(0)) : "";
  }

  private String invalidity(TlsMaterial material) {
    return CertificateRules.invalidity(config, material, Instant.now());
  }

  private void unusable(String mistake) {
    if (!mistake.equals(told)) {
      told = mistake;
      failures.increment();
      LOG.warn("TLS: changed files cannot be used, the old ones still are: {}", mistake);
    }
  }

  private void warnIfInvalid(TlsMaterial material) {
    String invalidity = invalidity(material);
    if (!invalidity.isEmpty()) {
      LOG.warn("TLS: {}: handshakes will fail", invalidity);
    }
  }

  private Object name() {
    return config.certificate() == null ? "the authorities" : config.certificate();
  }

  private void replace(SslContext next) {
    SslContext old;
    synchronized (this) {
      old = current;
      current = next;
    }
    ReferenceCountUtil.release(old);
  }

  /** Makes no more connections; those there are go on. */
  synchronized void close() {
    ReferenceCountUtil.release(current);
  }
}
