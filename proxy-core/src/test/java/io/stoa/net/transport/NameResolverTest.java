// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.resolver.AddressResolver;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NameResolverTest {
  private static final int PORT = 389;

  private final ExecutorService threads = Executors.newSingleThreadExecutor();
  private final DefaultEventExecutor loop = new DefaultEventExecutor();
  private final CountDownLatch answered = new CountDownLatch(1);

  @AfterEach
  void end() {
    answered.countDown();
    threads.shutdownNow();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private Future<InetSocketAddress> resolve(String host, NameResolver.HostLookup lookup)
      throws Exception {
    AddressResolver<InetSocketAddress> resolver =
        new NameResolver(threads, lookup).getResolver(loop);
    return loop.submit(() -> resolver.resolve(InetSocketAddress.createUnresolved(host, PORT)))
        .get();
  }

  private InetAddress[] late(String host) throws UnknownHostException {
    try {
      answered.await();
    } catch (InterruptedException e) {
      throw new UnknownHostException(host);
    }
    return new InetAddress[] {InetAddress.getLoopbackAddress()};
  }

  @Test
  void resolutionDoesNotBlockTheEventLoop() throws Exception {
    Future<InetSocketAddress> found = resolve("ldap.example.com", this::late);
    loop.submit(() -> {}).get(); // the loop is free
    assertThat(found.isDone()).isFalse();
    answered.countDown();
    assertThat(found.get())
        .isEqualTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT));
  }

  @Test
  void anUnknownHostIsAFailure() throws Exception {
    Future<InetSocketAddress> found =
        resolve(
            "nowhere.invalid",
            host -> {
              throw new UnknownHostException(host);
            });
    assertThat(found.await().cause()).isInstanceOf(UnknownHostException.class);
  }

  @Test
  void anIpAddressIsNotResolved() throws Exception {
    threads.shutdown();
    assertThat(resolve("127.0.0.1", InetAddress::getAllByName).get().getAddress())
        .isEqualTo(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
  }
}
