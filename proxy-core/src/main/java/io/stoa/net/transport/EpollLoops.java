// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * Netty's epoll, which forgets a socket that waits for nothing: it is taken out of the set, and
 * what is to be waited for later fails (ENOENT), as with the answers to a client that has finished
 * sending and does not take them at once. Here such a socket stays in the set. Event-loop confined.
 */
final class EpollLoops implements IoHandler {
  private final IoHandler netty;

  private EpollLoops(IoHandler netty) {
    this.netty = netty;
  }

  /** Makes the handlers of event loops. */
  static IoHandlerFactory factory() {
    IoHandlerFactory factory = EpollIoHandler.newFactory();
    return (ThreadAwareExecutor executor) -> new EpollLoops(factory.newHandler(executor));
  }

  @Override
  public void initialize() {
    netty.initialize();
  }

  @Override
  public int run(IoHandlerContext context) {
    return netty.run(context);
  }

  @Override
  public void prepareToDestroy() {
    netty.prepareToDestroy();
  }

  @Override
  public void destroy() {
    netty.destroy();
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    return new Staying(netty.register(handle));
  }

  @Override
  public void wakeup() {
    netty.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return netty.isCompatible(handleType);
  }

  /**
   * One socket of the set. What waits for nothing is told of errors only, once each: that is what
   * edge-triggered means.
   */
  private record Staying(IoRegistration registration) implements IoRegistration {
    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // Netty's own
    public <T> T attachment() {
      return registration.attachment();
    }

    @Override
    public long submit(IoOps ops) {
      return registration.submit(ops.equals(EpollIoOps.NONE) ? EpollIoOps.EPOLLET : ops);
    }

    @Override
    public boolean isValid() {
      return registration.isValid();
    }

    @Override
    public boolean cancel() {
      return registration.cancel();
    }
  }
}
