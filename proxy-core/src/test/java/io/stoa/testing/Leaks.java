// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Fails a class of tests after which Netty finds that something was never released: a buffer, the
 * TLS of a connection, a TLS context. It concerns all tests without being named. Thread-safe.
 */
public final class Leaks implements BeforeAllCallback, AfterAllCallback {
  private static final String MARK = "LEAK";
  private static final List<String> FOUND = new CopyOnWriteArrayList<>();

  private static final AppenderBase<ILoggingEvent> EAR =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          if (event.getFormattedMessage().contains(MARK)) {
            FOUND.add(event.getFormattedMessage());
          }
        }
      };

  @Override
  public void beforeAll(ExtensionContext context) {
    Logger netty = (Logger) LoggerFactory.getLogger(ResourceLeakDetector.class);
    if (!netty.isAttached(EAR)) {
      EAR.setContext(netty.getLoggerContext());
      EAR.start();
      netty.addAppender(EAR);
    }
  }

  /** What opens sockets is looked at closely; leaks of other tests show some time later. */
  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getDisplayName().endsWith("IT")) {
      look();
    }
    List<String> found = found();
    if (!found.isEmpty()) {
      throw new AssertionError("not released: " + found);
    }
  }

  /** What Netty has told since this was asked for the last time. */
  static List<String> found() {
    List<String> found = List.copyOf(FOUND);
    FOUND.removeAll(found);
    return found;
  }

  /** Netty tells of what the collector has found when the next of the same kind is made. */
  @SuppressWarnings("DoNotCall") // what is looked for is what the collector finds
  static void look() {
    System.gc();
    ByteBufAllocator.DEFAULT.directBuffer(1).release();
    if (OpenSsl.isAvailable()) {
      SslContext tls = openSsl();
      ReferenceCountUtil.release(tls.newEngine(ByteBufAllocator.DEFAULT));
      ReferenceCountUtil.release(tls);
    }
  }

  private static SslContext openSsl() {
    try {
      return SslContextBuilder.forClient()
          .sslProvider(SslProvider.OPENSSL_REFCNT)
          .trustManager(InsecureTrustManagerFactory.INSTANCE)
          .build();
    } catch (SSLException e) {
      throw new AssertionError("no TLS", e);
    }
  }
}
