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
 * Wraps Netty's epoll handler, so that a socket without interest in any event stays registered.
 * Netty removes such a socket from the epoll set, and a later registration fails (ENOENT). Without
 * this, a client that has finished sending, and takes its responses slowly, would not get them.
 *
 * <p>Threading: event loop.
 */
final class EpollLoops implements IoHandler {
  private final IoHandler netty;

  private EpollLoops(IoHandler netty) {
    this.netty = netty;
  }

  /** Returns the factory of the event loops' handlers. */
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
    return new StickyRegistration(netty.register(handle));
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
   * A socket that stays in the epoll set. Without interest in events it reports errors only, each
   * once (edge-triggered).
   */
  private record StickyRegistration(IoRegistration registration) implements IoRegistration {
    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // the signature is Netty's
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
