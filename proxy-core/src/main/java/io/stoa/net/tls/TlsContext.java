// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.stoa.net.transport.FailureText;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates TLS handlers for one side of Stoa, with the certificates that its files hold now.
 *
 * <ol>
 *   <li>When the files change, new connections use the new certificates. Existing connections go
 *       on.
 *   <li>Files that do not match each other, as in the middle of a renewal, change nothing.
 *   <li>A certificate that is not valid now, or is for other hosts, is refused. The one in use
 *       stays.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class TlsContext {
  private static final Logger LOG = LoggerFactory.getLogger(TlsContext.class);

  private final TlsConfig config;
  private final TlsSide side;

  /**
   * Digest of the files at the last check, usable or not; empty if they must be read again.
   * Confined to the refreshing thread.
   */
  private byte[] lastDigest;

  /**
   * The last mistake that was logged, so that each is logged once. Confined to the refreshing
   * thread.
   */
  private @Nullable String lastMistake;

  /** The last expired revocation list that was logged. Confined to the refreshing thread. */
  /** Warnings about files outside their validity period that were logged, until they are valid. */
  private Set<String> outdated = Set.of();

  /** Contents of the files in use. Written by the refreshing thread only. */
  private volatile TlsMaterial inUse;

  private final LongAdder reloads = new LongAdder();
  private final LongAdder failures = new LongAdder();

  private SslContext current;

  /**
   * Reads the files.
   *
   * @throws TlsException if the files cannot be used
   */
  TlsContext(TlsConfig config, TlsSide side) throws TlsException {
    this.config = config;
    this.side = side;
    this.lastDigest = TlsMaterial.digest(config);
    TlsMaterial inUse = TlsMaterial.read(config);
    this.current = side.build(config, inUse);
    this.inUse = inUse;
    warnIfInvalid(inUse);
  }

  /**
   * State of the TLS files of one context.
   *
   * <p>Threading: immutable.
   *
   * @param ofListeners true if the certificate is presented to clients, false if to servers
   * @param expires earliest expiry in the certificate chain in use; null without a certificate
   * @param reloads number of times changed files were taken into use
   * @param failures number of times changed files could not be used
   */
  public record Status(
      boolean ofListeners, @Nullable Instant expires, long reloads, long failures) {}

  Status status() {
    return new Status(side == TlsSide.SERVER, inUse.expires(), reloads.sum(), failures.sum());
  }

  /**
   * Creates the handler of a connection that a client has opened.
   *
   * @param timeout maximum time of the handshake
   */
  public SslHandler accept(ByteBufAllocator allocator, Duration timeout) {
    SslHandler handler;
    synchronized (this) { // under the lock, since a replaced context is released
      handler = current.newHandler(allocator);
    }
    handler.setHandshakeTimeoutMillis(timeout.toMillis());
    return handler;
  }

  /**
   * Creates the handler of a connection to a server. The context decides if the name in the
   * server's certificate is verified. The caller limits the time of the handshake.
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
   * Returns a context of the JDK with the files in use, for connections without event loops. The
   * caller sets host name verification, versions of TLS and cipher suites.
   *
   * @throws TlsException if the Java runtime refuses the files
   */
  public SSLContext jdkContext() throws TlsException {
    SslContext context = side.build(config.provider(TlsProvider.JDK), inUse);
    return ((JdkSslContext) context).context();
  }

  /** Reads the files, and takes them into use if they have changed. Called on one thread only. */
  void refresh() {
    try {
      byte[] now = TlsMaterial.digest(config);
      if (!Arrays.equals(now, lastDigest)) {
        lastDigest = now;
        reload();
      }
      warnIfOutdated();
    } catch (TlsException | RuntimeException e) {
      reportUnusable(FailureText.of(e));
    }
  }

  /**
   * Takes changed files into use. Files outside their validity period are read again at each
   * refresh, until they are valid.
   */
  private void reload() throws TlsException {
    TlsMaterial material = TlsMaterial.read(config);
    String invalidity = invalidity(material);
    if (!invalidity.isEmpty()) {
      lastDigest = new byte[0];
      throw new TlsException(invalidity, null);
    }
    String misfit = misfit(material);
    if (!misfit.isEmpty()) {
      throw new TlsException(name() + " " + misfit + "; restart Stoa to use it", null);
    }
    replace(side.build(config, material));
    inUse = material;
    lastMistake = null;
    reloads.increment();
    LOG.info("TLS: reloaded {}; expires at {}", name(), material.expires());
  }

  private String misfit(TlsMaterial renewed) {
    List<X509Certificate> old = inUse.chain();
    boolean comparable = side == TlsSide.SERVER && !old.isEmpty() && !renewed.chain().isEmpty();
    return comparable ? CertificateRules.misfit(old.get(0), renewed.chain().get(0)) : "";
  }

  private String invalidity(TlsMaterial material) {
    return CertificateRules.invalidity(config, material, Instant.now());
  }

  private void reportUnusable(String mistake) {
    if (!mistake.equals(lastMistake)) {
      lastMistake = mistake;
      failures.increment();
      LOG.warn("TLS: reload failed, the previous files stay in use: {}", mistake);
    }
  }

  /** Warns once if a revocation list in use expires: from then on certificates are refused. */
  private void warnIfOutdated() {
    Set<String> now = new HashSet<>();
    for (RevocationList list : inUse.lists()) {
      String invalidity = list.invalidity(Instant.now());
      if (!invalidity.isEmpty() && now.add(invalidity) && !outdated.contains(invalidity)) {
        LOG.warn("TLS: {}: certificates of its authority are refused", invalidity);
      }
    }
    outdated = now;
  }

  private void warnIfInvalid(TlsMaterial material) {
    String invalidity = invalidity(material);
    if (!invalidity.isEmpty()) {
      outdated = Set.of(invalidity);
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

  /** Releases the context. No more connections can be made; existing ones go on. */
  synchronized void close() {
    ReferenceCountUtil.release(current);
  }
}
