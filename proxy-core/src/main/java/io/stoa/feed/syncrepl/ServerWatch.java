// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.connection.SdkLink;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a slapd is still the same process, on a connection of its own with the account of
 * a feed.
 *
 * <p>Threading: thread-safe. The connection is confined to a thread of the watch.
 */
public final class ServerWatch implements AutoCloseable {
  /** Pause in ns after a server has refused the account: 1 s. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Maximum number of checks queued for a slow server: 4. Further checks end as UNKNOWN. */
  private static final int MAX_OPEN = 4;

  private final SdkLink link;
  private final FeedServer server;
  private final EventExecutor executor =
      new DefaultEventExecutor(new DefaultThreadFactory("stoa-server-watch", true));
  private final ServerRun run = new ServerRun();
  private final AtomicInteger open = new AtomicInteger();
  private @Nullable LDAPConnection connection;
  private long refusedAt = System.nanoTime() - PAUSE_NANOS;
  private volatile String why = "";
  private volatile boolean clockKnown;
  private volatile boolean clockBehind;

  /** Creates a watch that has not connected yet. */
  public ServerWatch(SdkLink link, FeedServer server) {
    this.link = link;
    this.server = server;
  }

  /** Returns the server that is watched. */
  public FeedServer server() {
    return server;
  }

  /**
   * Checks the server.
   *
   * @param receiver receives the verdict on the thread of this watch, or at once if too many checks
   *     are queued; never called once the watch is closed
   */
  public void check(Consumer<Continuity> receiver) {
    if (open.incrementAndGet() > MAX_OPEN) {
      open.decrementAndGet();
      receiver.accept(Continuity.UNKNOWN);
      return;
    }
    try {
      executor.execute(() -> answer(receiver));
    } catch (RejectedExecutionException e) {
      why = "the watch is closed";
    }
  }

  private void answer(Consumer<Continuity> receiver) {
    open.decrementAndGet();
    receiver.accept(check());
  }

  /** Returns the reason why the last check got no answer; empty if it got one. */
  public String lastFailure() {
    return why;
  }

  /** True if the last check could read the start time and the clock of the server. */
  public boolean isClockKnown() {
    return clockKnown;
  }

  /**
   * True if the server's clock is behind a time that it has shown before, or was until the last
   * check.
   */
  public boolean isClockBehind() {
    return clockBehind;
  }

  private Continuity check() {
    if (System.nanoTime() - refusedAt < PAUSE_NANOS) {
      return Continuity.UNKNOWN;
    }
    LDAPConnection present = connection;
    boolean same = present != null && present.isConnected();
    try {
      LDAPConnection usable = present != null && same ? present : open();
      ServerTime now = ServerTime.read(usable, link.timeout());
      why = "";
      Continuity verdict = run.judge(now, same);
      clockKnown = run.isClockKnown();
      clockBehind = run.isClockBehind();
      return verdict;
    } catch (IOException e) {
      return failed(FailureText.of(e), e.getCause());
    } catch (LDAPException e) {
      return failed(SdkLink.text(e), e);
    }
  }

  private LDAPConnection open() throws IOException {
    disconnect();
    LDAPConnection opened = link.open(server);
    connection = opened;
    return opened;
  }

  private Continuity failed(String text, @Nullable Throwable cause) {
    boolean opened = connection != null;
    disconnect();
    why = text;
    ResultCode code = cause instanceof LDAPException e ? e.getResultCode() : ResultCode.OTHER;
    boolean unreached = code.equals(ResultCode.CONNECT_ERROR);
    if (!opened && !unreached && !code.equals(ResultCode.SERVER_DOWN)) {
      refusedAt = System.nanoTime();
    }
    return unreached && text.contains("refused") ? Continuity.DOWN : Continuity.UNKNOWN;
  }

  private void disconnect() {
    LDAPConnection present = connection;
    connection = null;
    if (present != null) {
      present.close();
    }
  }

  @Override
  public void close() {
    try {
      executor.execute(this::disconnect);
    } catch (RejectedExecutionException e) {
      why = "the watch is closed";
    }
    executor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
