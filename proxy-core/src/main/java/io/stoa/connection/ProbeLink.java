// SPDX-License-Identifier: Apache-2.0
package io.stoa.connection;

import io.netty.channel.EventLoop;
import io.stoa.backend.Backend;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapResult;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import java.io.IOException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection on which a server is asked for signs of life: made when it is first needed, and
 * again when it has ended. It does not count among those that a server may have, since it must not
 * wait for one of them. Event-loop confined.
 */
public final class ProbeLink implements Connector.Outcome, UpstreamConnection.Owner {
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;

  private final Backend backend;
  private final Connector connector;
  private final Terms terms;
  private final BiFunction<InternalSession, Consumer<byte @Nullable []>, Operation> request;
  private final Listener listener;
  private @Nullable UpstreamConnection connection;
  private @Nullable Question question;

  /** Whether the connection has carried an answer. */
  private boolean proved;

  /**
   * How it is asked. Immutable.
   *
   * @param loop where the connection lives
   * @param lateMillis without an answer for so long, something may be wrong with the server
   * @param overdueMillis without one for so long, it will not answer
   * @param silence what it means that the server closes a connection before it has answered
   */
  public record Terms(EventLoop loop, long lateMillis, long overdueMillis, String silence) {}

  /** Hears what becomes of a question, on the event loop. */
  public interface Listener {
    /** It was answered, by this. */
    void answered(Answer answer);

    /** It is late. */
    void late();

    /**
     * It will not be answered.
     *
     * @param ours whether for a lack of Stoa's own, which says nothing of the server
     */
    void failed(Throwable cause, boolean ours);
  }

  /**
   * An answer. Immutable.
   *
   * @param connection the one on which it came
   * @param root the entry that was read; null if the answer was none
   * @param late whether it came too late to be a good sign
   */
  public record Answer(UpstreamConnection connection, byte @Nullable [] root, boolean late) {}

  private final class Question {
    private final Future<?> lateTimer;
    private final Future<?> overdueTimer;
    private boolean late;
    private byte @Nullable [] root;

    Question() {
      lateTimer = terms.loop.schedule(this::late, terms.lateMillis, TimeUnit.MILLISECONDS);
      overdueTimer = terms.loop.schedule(this::overdue, terms.overdueMillis, TimeUnit.MILLISECONDS);
    }

    private void late() {
      late = true;
      listener.late();
    }

    private void overdue() {
      fail(new IOException("it did not answer within " + terms.overdueMillis + " ms"), false);
      close();
    }

    void end() {
      lateTimer.cancel(false);
      overdueTimer.cancel(false);
      question = null;
    }
  }

  /**
   * Makes it, without a connection.
   *
   * @param request makes the search for the root DSE, whose outcome is the entry, or null
   */
  public ProbeLink(
      Backend backend,
      Connector connector,
      Terms terms,
      BiFunction<InternalSession, Consumer<byte @Nullable []>, Operation> request,
      Listener listener) {
    this.backend = backend;
    this.connector = connector;
    this.terms = terms;
    this.request = request;
    this.listener = listener;
  }

  /** Asks, unless that has been done and is not answered. */
  public void ask() {
    if (question == null) {
      question = new Question();
      UpstreamConnection present = connection;
      if (present == null) {
        connect();
      } else {
        send(present);
      }
    }
  }

  private void connect() {
    proved = false;
    connector.connectUncounted(backend, this, this);
  }

  private void send(UpstreamConnection to) {
    Question asked = question;
    if (asked != null) {
      to.send(request.apply(new InternalSession(terms.loop), found -> asked.root = found));
    }
  }

  private void fail(Throwable cause, boolean ours) {
    Question asked = question;
    if (asked != null) {
      asked.end();
      listener.failed(cause, ours);
    }
  }

  /** Ends the connection; what is asked has no answer. */
  public void close() {
    UpstreamConnection present = connection;
    if (present != null) {
      present.close();
    }
  }

  @Override
  public void connected(UpstreamConnection made) {
    connection = made;
    made.ready();
    send(made);
  }

  @Override
  public void failed(Throwable cause, boolean ours) {
    fail(cause, ours);
  }

  @Override
  public void room(UpstreamConnection of) {
    Question asked = question;
    if (asked != null) {
      proved = true;
      asked.end();
      listener.answered(new Answer(of, asked.root, asked.late));
    }
  }

  /** Servers end connections for many reasons; one that has answered there gets another chance. */
  @Override
  public void closed(UpstreamConnection of) {
    connection = null;
    if (question != null && proved) {
      connect();
      return;
    }
    IOException failure = of.failure();
    if (failure == null || failure.getMessage() == null) {
      failure = new IOException(terms.silence);
    }
    fail(failure, false);
  }

  @Override
  public void unanswered(Operation operation) {
    operation.abandon();
  }

  @Override
  public void held(Operation operation) {
    operation.abandon();
  }

  /** A server that wants something else of its clients lives; one that goes away does not. */
  @Override
  public void unsolicited(UpstreamConnection of, LdapMessage notification) {
    int code = LdapResult.codeOf(notification.body());
    notification.release();
    if (code != UNAVAILABLE && code != BUSY) {
      room(of);
    }
    of.close();
  }
}
