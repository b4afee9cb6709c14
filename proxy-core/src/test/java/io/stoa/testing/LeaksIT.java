// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the other tests rely on: that nothing can leak unseen. */
class LeaksIT {
  private final Logger netty = (Logger) LoggerFactory.getLogger(ResourceLeakDetector.class);
  private final List<String> found = new ArrayList<>();

  @BeforeEach
  void keepOutOfTheOutput() {
    netty.setAdditive(false);
  }

  @AfterEach
  void letIntoTheOutput() {
    netty.setAdditive(true);
  }

  @Test
  void aBufferIsMissed() {
    ByteBufAllocator.DEFAULT.directBuffer(1).writeByte(1);
    assertThat(sees("ByteBuf.release()")).isTrue();
  }

  @Test
  void theTlsOfAConnectionIsMissed() throws SSLException {
    beginTls();
    assertThat(sees("ReferenceCountedOpenSslEngine")).isTrue();
    assertThat(sees("ReferenceCountedOpenSslContext")).isTrue(); // by which it was made
  }

  private static void beginTls() throws SSLException {
    SslContext context =
        SslContextBuilder.forClient().sslProvider(SslProvider.OPENSSL_REFCNT).build();
    context.newEngine(ByteBufAllocator.DEFAULT);
    ReferenceCountUtil.release(context);
  }

  private boolean sees(String kind) {
    Await.until(
        "a leak of " + kind + " is found",
        () -> {
          Leaks.look();
          found.addAll(Leaks.found());
          return found.stream().anyMatch(line -> line.startsWith("LEAK: " + kind));
        });
    return true;
  }
}
