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
 * Resolves host names with the system's resolver, on threads of its own. The resolver may take
 * seconds, and would block an event loop and all its clients. The queue is bounded by the number of
 * connections that may be opened.
 *
 * <p>Threading: thread-safe.
 */
public final class NameResolver extends AddressResolverGroup<InetSocketAddress> {
  private static final int THREADS = 2;
  private static final long IDLE_SECONDS = 10;

  /** Resolver shared by all event loops. Its threads end when they are idle for 10 seconds. */
  public static final NameResolver SYSTEM =
      new NameResolver(threads(), host -> InetAddress.getAllByName(host));

  private final Executor threads;
  private final HostLookup lookup;

  /** A blocking name lookup. */
  public interface HostLookup {
    /** Returns all addresses of a host, at least one, the preferred one first. */
    InetAddress[] resolve(String host) throws UnknownHostException;
  }

  /**
   * Creates a resolver.
   *
   * @param threads threads that wait for the lookup
   * @param lookup the lookup to use
   */
  public NameResolver(Executor threads, HostLookup lookup) {
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
    return new LoopResolver(executor).asAddressResolver();
  }

  /**
   * The resolver of one event loop.
   *
   * <p>Threading: thread-safe.
   */
  private final class LoopResolver extends InetNameResolver {
    LoopResolver(EventExecutor loop) {
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

    private <T> void find(String host, Promise<T> found, ResultForm<T> form) {
      if (NetUtil.createByteArrayFromIpAddressString(host) != null) {
        complete(host, found, form);
      } else {
        threads.execute(() -> complete(host, found, form));
      }
    }

    private <T> void complete(String host, Promise<T> found, ResultForm<T> form) {
      try {
        found.trySuccess(form.of(lookup.resolve(host)));
      } catch (UnknownHostException | RuntimeException e) {
        found.tryFailure(e);
      }
    }
  }

  /** Selects the result from the addresses found: the first one, or all. */
  private interface ResultForm<T> {
    T of(InetAddress[] all);
  }
}
