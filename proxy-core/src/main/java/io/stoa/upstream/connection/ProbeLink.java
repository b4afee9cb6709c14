// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.channel.EventLoop;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.net.transport.DescribedException;
import io.stoa.operation.InternalSearch;
import io.stoa.operation.InternalSearch.Found;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import io.stoa.upstream.connection.Connector.PendingConnection;
import io.stoa.upstream.server.Backend;
import java.io.IOException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection for health checks of one server, opened on demand and bound if a login is given.
 * The server's connection limit does not include it: a check must not wait for a free connection.
 *
 * <p>Threading: event loop.
 */
public final class ProbeLink implements Connector.ConnectListener {
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;

  private final Backend backend;
  private final Connector connector;
  private final LinkSettings settings;
  private final @Nullable ServiceLogin login;
  private final CheckListener listener;
  private @Nullable UpstreamConnection connection;
  private @Nullable Check check;

  /** True if the connection has carried a response. */
  private boolean hasResponded;

  /** True if other components may use the connection, too. */
  private boolean shared;

  /**
   * Settings of the health-check connection.
   *
   * <p>Threading: immutable.
   *
   * @param loop event loop of the connection
   * @param decoder decodes the check's requests
   * @param setupMillis time in ms to connect and bind, after which the check is late
   * @param lateMillis time in ms from the request to its response, after which the check is late
   * @param overdueMillis time in ms from the request to its response, after which the check has
   *     failed
   * @param closedMessage error message for a connection that the server closes before it has
   *     answered
   */
  public record LinkSettings(
      EventLoop loop,
      RequestDecoder decoder,
      LongSupplier setupMillis,
      long lateMillis,
      long overdueMillis,
      String closedMessage) {}

  /**
   * Notified of health checks that are late or fail.
   *
   * <p>Threading: event loop.
   */
  public interface CheckListener {
    /**
     * Called when the check is late.
     *
     * @param why the step that was not completed in time
     */
    void onLate(String why);

    /**
     * Called when the check has failed.
     *
     * @param internal true if a shortage in Stoa is the cause, which says nothing about the server
     */
    void onFailed(Throwable cause, boolean internal);
  }

  /**
   * Result of a health check.
   *
   * <p>Threading: immutable.
   *
   * @param connection the connection on which it arrived
   * @param found the response
   * @param late true if the response arrived too late to count as healthy
   */
  public record Answer(UpstreamConnection connection, Found found, boolean late) {}

  private final class Check {
    private final InternalSearch.SearchParameters search;
    private final Consumer<Answer> outcome;
    private Future<?> lateTimer;
    private @Nullable Future<?> overdueTimer;
    private long waitsSince;
    private boolean late;
    private @Nullable Found found;

    Check(InternalSearch.SearchParameters search, Consumer<Answer> outcome) {
      this.search = search;
      this.outcome = outcome;
      lateTimer = lateAfter(settings.setupMillis.getAsLong(), "no connection for the health check");
    }

    /** Called before the request is sent. A connection that cannot be made fails by itself. */
    void onSent() {
      lateTimer.cancel(false);
      cancelOverdue();
      lateTimer = lateAfter(settings.lateMillis, "no response to the health check");
      waitsSince = System.nanoTime();
      overdueTimer =
          settings.loop.schedule(this::onOverdue, settings.overdueMillis, TimeUnit.MILLISECONDS);
    }

    private void cancelOverdue() {
      if (overdueTimer != null) {
        overdueTimer.cancel(false);
      }
    }

    private Future<?> lateAfter(long millis, String step) {
      String reason = step + " within " + millis + " ms";
      return settings.loop.schedule(() -> onLate(reason), millis, TimeUnit.MILLISECONDS);
    }

    private void onLate(String reason) {
      late = true;
      listener.onLate(reason);
    }

    /**
     * Called when the check has had no response for too long. If the server answers other requests,
     * it is overloaded or this connection hangs: the check is repeated on a new connection.
     * Otherwise the check has failed.
     */
    private void onOverdue() {
      if (backend.hasAnsweredSince(waitsSince)) {
        hasResponded = true;
      } else {
        fail(
            new DescribedException(
                "health check timed out after " + settings.overdueMillis + " ms"),
            false);
      }
      close();
    }

    /**
     * Stores the response. A missing response is ignored here; its cause is reported by the
     * connection.
     */
    void onFound(Found answer) {
      found = answer.code() < 0 ? null : answer;
    }

    void end() {
      lateTimer.cancel(false);
      cancelOverdue();
      check = null;
    }

    void complete(UpstreamConnection by, Found what) {
      hasResponded = true;
      end();
      outcome.accept(new Answer(by, what, late));
    }
  }

  /**
   * Creates the link; nothing is connected yet.
   *
   * @param login binds the connection before the first check; null for an anonymous connection
   */
  public ProbeLink(
      Backend backend,
      Connector connector,
      LinkSettings settings,
      @Nullable ServiceLogin login,
      CheckListener listener) {
    this.backend = backend;
    this.connector = connector;
    this.settings = settings;
    this.login = login;
    this.listener = listener;
  }

  /** Starts a check, unless one is in progress. */
  public void check(InternalSearch.SearchParameters parameters, Consumer<Answer> outcome) {
    if (connection != null && connection.isDueForRenewal(System.nanoTime(), Long.MAX_VALUE)) {
      close();
    }
    UpstreamConnection present = connection;
    boolean busy = check != null || (present != null && !isReady(present));
    if (!busy) {
      check = new Check(parameters, outcome);
      if (present == null) {
        connect();
      } else {
        send(present);
      }
    }
  }

  /** Lets other components use the connection, until it ends. */
  public void allowSharing() {
    shared = true;
  }

  /**
   * Sends a search for another component. The result does not affect the server's health.
   *
   * @param outcome receives the response once; {@code Found.NO_ANSWER} if the connection cannot be
   *     used
   */
  public void search(InternalSearch.SearchParameters parameters, Consumer<Found> outcome) {
    UpstreamConnection present = connection;
    if (present == null || !shared || !isReady(present)) {
      outcome.accept(Found.NO_ANSWER);
      return;
    }
    Operation search =
        InternalSearch.of(
            new InternalSession(settings.loop), settings.decoder, parameters, outcome);
    settings.loop.schedule(search::abandon, settings.overdueMillis, TimeUnit.MILLISECONDS);
    present.send(search);
  }

  private static boolean isReady(UpstreamConnection present) {
    return present.hasRoom(Integer.MAX_VALUE);
  }

  private void connect() {
    hasResponded = false;
    shared = false;
    connector.connectUncounted(backend, this);
  }

  private void send(UpstreamConnection target) {
    Check current = check;
    if (current != null) {
      current.onSent();
      InternalSession session = new InternalSession(settings.loop);
      target.send(
          InternalSearch.of(
              session, settings.decoder, current.search, found -> current.onFound(found)));
    }
  }

  private void fail(Throwable cause, boolean internal) {
    Check current = check;
    if (current != null) {
      current.end();
      listener.onFailed(cause, internal);
    }
  }

  /** Closes the connection. A check in progress fails. */
  public void close() {
    UpstreamConnection present = connection;
    if (present != null) {
      present.close();
    }
  }

  /** Closes the connection, unless a check is in progress. */
  public void closeIfIdle() {
    if (check == null) {
      close();
    }
  }

  @Override
  public void onConnected(PendingConnection attempt, UpstreamConnection opened) {
    connection = opened;
    backend.limiter().connectionLimit().onProbeOpened(System.nanoTime());
    if (login == null) {
      opened.markReady();
      send(opened);
    } else {
      login.bind(opened, accepted -> onBound(opened, accepted));
    }
  }

  private void onBound(UpstreamConnection opened, boolean accepted) {
    if (accepted) {
      send(opened);
    } else if (login != null && login.isBusy()) {
      onBusyBind(opened);
    } else {
      fail(new DescribedException("health check could not bind"), false);
      opened.close();
    }
  }

  /** Completes the check with {@code busy}: a server that refuses the bind as busy has answered. */
  private void onBusyBind(UpstreamConnection opened) {
    Check current = check;
    if (current != null) {
      current.end();
      opened.close();
      current.outcome.accept(new Answer(opened, new Found(BUSY, null), current.late));
    }
  }

  @Override
  public void onFailed(PendingConnection attempt, Throwable cause, boolean internal) {
    fail(cause, internal);
  }

  @Override
  public void onRoom(UpstreamConnection source) {
    Check current = check;
    Found found = current == null ? null : current.found;
    if (current != null && found != null) {
      current.complete(source, found);
    }
  }

  /**
   * Called when the connection has ended. A check on a connection that had carried a response is
   * repeated on a new one, since servers close connections for many reasons.
   */
  @Override
  public void onClosed(UpstreamConnection closed) {
    connection = null;
    backend.limiter().connectionLimit().onProbeClosed();
    if (check != null && hasResponded) {
      connect();
      return;
    }
    IOException failure = closed.failure();
    if (failure == null || failure.getMessage() == null) {
      failure = new DescribedException(settings.closedMessage);
    }
    fail(failure, false);
  }

  @Override
  public void onUnanswered(Operation operation) {
    operation.abandon();
  }

  @Override
  public void onHeldUp(Operation operation) {
    operation.abandon();
  }

  /**
   * Called for a notification. Only {@code busy} and {@code unavailable} mean that the server
   * leaves; any other result code completes the check.
   */
  @Override
  public void onNotification(UpstreamConnection source, LdapMessage notification) {
    int code = LdapResult.codeOf(notification.body());
    notification.release();
    Check current = check;
    if (current != null && code != UNAVAILABLE && code != BUSY) {
      current.complete(source, new Found(code, null));
    }
    source.close();
  }
}
