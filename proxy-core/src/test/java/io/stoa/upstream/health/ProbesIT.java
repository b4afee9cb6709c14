// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.net.codec.FlushQueue;
import io.stoa.net.transport.Transport;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.Received;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.admission.QueueBound;
import io.stoa.upstream.auth.BindCoalescer;
import io.stoa.upstream.connect.Dialer;
import io.stoa.upstream.connection.ProbeConfig.Mismatch;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.pool.UpstreamLoop;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ProbesIT {
  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream upstream = ScriptedUpstream.start();

  private final EventLoopGroup group = Transport.best().eventLoops(1, "probes");

  @AfterEach
  void endLoop() {
    Transport.shutDown(group);
  }

  private UpstreamLoop loop() {
    EventLoop loop = group.next();
    return new UpstreamLoop(
        loop,
        settings -> new Dialer(loop, Transport.best(), null, settings)::dial,
        new FlushQueue(loop),
        new QueueBound(() -> 1),
        new BindCoalescer(),
        null,
        () -> 1);
  }

  /** It may hang, so that nobody else ends it. */
  @Test
  void removingAServerStopsItsProbe() throws IOException {
    UpstreamConfig config =
        ProxySetup.before(upstream.port())
            .upstream("connectTimeout", Duration.ofMinutes(1))
            .config()
            .upstream();
    Backend backend =
        new Backend(
            config.addresses().get(0), new BackendConfig(true, false, 10, 10, 1, Duration.ZERO, 0));
    Probes probes = new Probes(() -> config, new RequestDecoder(() -> DecodeLimits.DEFAULTS));
    Peers alone = new Peers(() -> List.of(backend), () -> Mismatch.WARN);
    probes.add(backend, loop(), alone);
    probes.start();
    Await.until("it is up", backend::isUp);
    backend.health().drain();
    probes.remove(backend);
    Await.until("its connection is closed", () -> upstream.openConnections() == 0);
    upstream.when(request -> request.is(Received.SEARCH), Answers.silence());
    int before = upstream.received(request -> request.is(Received.SEARCH)).size();
    backend.health().requestCheck();
    upstream.awaitReceived(before + 1, request -> request.is(Received.SEARCH));
    assertThat(upstream.openConnections()).isEqualTo(1);
    probes.stop();
    Await.until("its connection is closed", () -> upstream.openConnections() == 0);
    probes.close();
  }
}
