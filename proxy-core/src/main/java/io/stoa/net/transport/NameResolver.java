// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Finds the addresses of hosts as the system does, but on threads of its own: the system may take
 * seconds, and an event loop that waits for it holds up all its clients. What waits is bounded by
 * the connections that may be made. Thread-safe.
 */
public final class NameResolver extends AddressResolverGroup<InetSocketAddress> {
  private static final int THREADS = 2;
  private static final long IDLE_SECONDS = 10;

  /** Shared by all event loops; its threads end when they have nothing to do. */
  public static final NameResolver SYSTEM =
      new NameResolver(threads(), host -> InetAddress.getAllByName(host));

  private final Executor threads;
  private final Lookup lookup;

  /** Asks the system. */
  public interface Lookup {
    /** All addresses of a host, the preferred one first; at least one. */
    InetAddress[] of(String host) throws UnknownHostException;
  }

  /**
   * Makes one that asks so.
   *
   * @param threads on which it waits for answers
   */
  public NameResolver(Executor threads, Lookup lookup) {
    this.threads = threads;
    this.lookup = lookup;
  }

  private static Executor threads() {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("stoa-names", true));
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  @Override
  protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
    return new OfLoop(executor).asAddressResolver();
  }

  /** Tells one event loop. Thread-safe. */
  private final class OfLoop extends InetNameResolver {
    OfLoop(EventExecutor loop) {
      super(loop);
    }

    @Override
    protected void doResolve(String host, Promise<InetAddress> found) {
      find(host, found, all -> all[0]);
    }

    @Override
    protected void doResolveAll(String host, Promise<List<InetAddress>> found) {
      find(host, found, Arrays::asList);
    }

    private <T> void find(String host, Promise<T> found, Form<T> form) {
      if (NetUtil.createByteArrayFromIpAddressString(host) != null) {
        tell(host, found, form);
      } else {
        threads.execute(() -> tell(host, found, form));
      }
    }

    private <T> void tell(String host, Promise<T> found, Form<T> form) {
      try {
        found.trySuccess(form.of(lookup.of(host)));
      } catch (UnknownHostException | RuntimeException e) {
        found.tryFailure(e);
      }
    }
  }

  /** What is told of the addresses that were found. */
  private interface Form<T> {
    T of(InetAddress[] all);
  }
}
