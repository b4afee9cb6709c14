// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.connection.SdkLink;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.ldap.csn.Position;
import io.stoa.net.transport.Backoff;
import io.stoa.net.transport.FailureText;
import io.stoa.net.transport.GuardedTask;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Life cycle of the feed of one naming context: connects to the first usable server, pauses after
 * each failure, and leaves a server that was removed. Logs each change of the feed's phase once.
 *
 * <p>A subclass follows the changes of the connected server by one protocol.
 *
 * <p>Threading: a thread of its own, except for start, close and the queries.
 */
public abstract class FeedSupervisor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FeedSupervisor.class);
  private static final long MAX_PAUSE_MILLIS = 5_000;

  /**
   * Time live in ns after which the back-off is reset: 10 s. A feed that stayed live reconnects at
   * once.
   */
  private static final long STEADY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The configuration of the feed. */
  protected final Config config;

  /** Receives the events of the feed, and counts them. */
  protected final FeedStats stats;

  /** Opens connections with the account of the feed. */
  protected final SdkLink link;

  /** Reads with the account of the feed. The subclass tells it from which server. */
  protected final SdkReader reader;

  /** The thread of the feed. */
  protected final EventExecutor executor;

  private final Supplier<List<FeedServer>> servers;
  private final Backoff pause = new Backoff(MAX_PAUSE_MILLIS);
  private @Nullable FeedServer server;
  private int next;
  private boolean live;
  private long liveSince;
  private volatile boolean stopped;

  /**
   * Creates a feed that has not started.
   *
   * @param servers the servers that hold the naming context, in order of preference
   * @param thread the name of the feed's thread
   */
  protected FeedSupervisor(
      Config config,
      SyncContext sync,
      Supplier<List<FeedServer>> servers,
      FeedStats stats,
      String thread) {
    this.config = config;
    this.servers = servers;
    this.stats = stats;
    this.link = new SdkLink(config.account(), config.timeout(), config.maxOctets());
    this.reader = new SdkReader(link, new EntryConverter(sync.secret()), thread + "-reader");
    this.executor = new DefaultEventExecutor(new DefaultThreadFactory(thread, true));
  }

  /**
   * Configuration of a feed.
   *
   * <p>Threading: immutable.
   *
   * @param base the naming context, as the servers know it
   * @param account the credentials of the feed
   * @param timeout the maximum time for any response
   * @param keepAlive the interval of heartbeats
   * @param patience the initial timeout for the changes since the last cookie
   * @param maxOctets the maximum size of a message, in bytes
   * @param bounds the staleness bounds named in log lines
   */
  public record Config(
      String base,
      FeedCredentials account,
      Duration timeout,
      Duration keepAlive,
      Duration patience,
      int maxOctets,
      FeedStats.Bounds bounds) {}

  /** Starts the feed. */
  public final void start() {
    executor.execute(this::connect);
    long period = config.keepAlive().toMillis();
    Runnable task = new GuardedTask("heartbeat of the feed of " + config.base(), this::onKeepAlive);
    executor.scheduleAtFixedRate(task, period, period, TimeUnit.MILLISECONDS);
  }

  /** Called when the servers may have changed: disconnects from a server that was removed. */
  public final void onServersChanged() {
    post(
        () -> {
          FeedServer present = server;
          if (present != null && servers.get().stream().noneMatch(present::isSameAs)) {
            onLost(present + ": the server was removed");
          }
        });
  }

  /** Closes all connections and threads. */
  @Override
  public final void close() {
    stopped = true;
    cancelRequests();
    post(this::end);
    reader.close();
    executor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    executor.terminationFuture().awaitUninterruptibly(2 * config.timeout().toMillis());
    stats.setPhase(Phase.STOPPED, "", "");
  }

  /** Returns a reader with the feed's account, on the server of the feed. */
  public final PrivilegedReader reader() {
    return reader;
  }

  /** Returns the current status of the feed. */
  public final FeedStatus status() {
    return stats.status();
  }

  /** Returns the kind of the feed; null before the first connection has determined it. */
  public abstract @Nullable FeedKind kind();

  /**
   * Asks the server of the feed for its position.
   *
   * @param receiver receives the position that the feed must reach, on any thread: {@link
   *     Position#NONE} if none can be known now. Not called if the position proves nothing
   */
  public abstract void requestPosition(Consumer<Position> receiver);

  /**
   * Begins to follow a server.
   *
   * @param candidates the number of servers that hold the naming context
   * @throws IOException if that is impossible; the message is for administrators
   */
  protected abstract void begin(FeedServer server, int candidates) throws IOException;

  /** Called when the connection is lost: reports that, and calls {@link #reconnect}. */
  protected abstract void onLost(String why);

  /** Ends the connection, if there is one. */
  protected abstract void disconnect();

  /** Called at each interval of heartbeats, connected or not. */
  protected abstract void onKeepAlive();

  /** Ends requests that block the thread of the feed; called on any thread when the feed closes. */
  protected void cancelRequests() {}

  /** Ends the connection, and connects after a pause. */
  protected final void reconnect(boolean nextServer) {
    if (live && System.nanoTime() - liveSince > STEADY_NANOS) {
      pause.reset();
    }
    next += nextServer ? 1 : 0;
    end();
    if (!stopped) {
      executor.schedule(this::connect, pause.next(), TimeUnit.MILLISECONDS);
    }
  }

  /** Sets whether the server reports changes as they happen, with none missing before. */
  protected final void setLive(boolean now) {
    live = now;
    liveSince = System.nanoTime();
  }

  /** True if the feed is live. */
  protected final boolean isLive() {
    return live;
  }

  /** True if the feed is being closed. */
  protected final boolean isStopped() {
    return stopped;
  }

  /** Runs a task on the thread of the feed, unless the feed is closed. */
  protected final void post(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("event ignored: the feed is closed", e);
    }
  }

  /** Connects. Every failure leads to another attempt. */
  private void connect() {
    String at = "";
    try {
      List<FeedServer> all = stopped ? List.of() : servers.get();
      if (all.isEmpty()) {
        onFailed("no server is available");
      } else {
        FeedServer chosen = all.get(next % all.size());
        server = chosen;
        at = chosen + ": ";
        stats.countConnect(chosen);
        begin(chosen, all.size());
      }
    } catch (IOException e) {
      onFailed(at + FailureText.of(e));
    } catch (RuntimeException e) {
      // at debug level, since it recurs with each attempt
      LOG.debug("feed could not connect: internal error", e);
      onFailed(at + FailureText.INTERNAL);
    }
  }

  private void onFailed(String why) {
    if (!stopped) {
      stats.setPhase(Phase.CONNECTING, "", why);
    }
    reconnect(server != null);
  }

  private void end() {
    server = null;
    live = false;
    disconnect();
  }
}
