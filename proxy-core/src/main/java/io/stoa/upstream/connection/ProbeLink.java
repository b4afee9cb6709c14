// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.channel.EventLoop;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.operation.InternalSearch;
import io.stoa.operation.InternalSearch.Found;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import io.stoa.upstream.server.Backend;
import java.io.IOException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection on which a server is asked for signs of life: made when it is first needed, and
 * again when it has ended; bound, if it is to be. It does not count among those that a server may
 * have, since it must not wait for one of them. Event-loop confined.
 */
public final class ProbeLink implements Connector.Outcome, UpstreamConnection.Owner {
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;

  private final Backend backend;
  private final Connector connector;
  private final Terms terms;
  private final @Nullable ServiceLogin login;
  private final Listener listener;
  private @Nullable UpstreamConnection connection;
  private @Nullable Question question;

  /** Whether the connection has carried an answer. */
  private boolean proved;

  /** Whether others may ask on the connection, too. */
  private boolean shared;

  /**
   * How it is asked. Immutable.
   *
   * @param loop where the connection lives
   * @param decoder decodes what is asked
   * @param setupMillis without a connection, bound if it is to be, for so long, something may be
   *     wrong with the server
   * @param lateMillis the same without an answer, from when it was asked
   * @param overdueMillis without one for so long, it will not answer
   * @param silence what it means that the server closes a connection before it has answered
   */
  public record Terms(
      EventLoop loop,
      RequestDecoder decoder,
      LongSupplier setupMillis,
      long lateMillis,
      long overdueMillis,
      String silence) {}

  /** Hears what becomes of a question that is not answered, on the event loop. */
  public interface Listener {
    /**
     * It is late.
     *
     * @param why what has not been done in time
     */
    void late(String why);

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
   * @param found what was answered
   * @param late whether it came too late to be a good sign
   */
  public record Answer(UpstreamConnection connection, Found found, boolean late) {}

  private final class Question {
    private final InternalSearch.Terms what;
    private final Consumer<Answer> outcome;
    private Future<?> lateTimer;
    private @Nullable Future<?> overdueTimer;
    private long waitsSince;
    private boolean late;
    private @Nullable Found found;

    Question(InternalSearch.Terms what, Consumer<Answer> outcome) {
      this.what = what;
      this.outcome = outcome;
      lateTimer = lateAfter(terms.setupMillis.getAsLong(), "it has not let the probe in");
    }

    /** It is about to be sent; a connection that cannot be made ends by itself. */
    void sent() {
      lateTimer.cancel(false);
      cancelOverdue();
      lateTimer = lateAfter(terms.lateMillis, "it has not answered");
      waitsSince = System.nanoTime();
      overdueTimer = terms.loop.schedule(this::overdue, terms.overdueMillis, TimeUnit.MILLISECONDS);
    }

    private void cancelOverdue() {
      if (overdueTimer != null) {
        overdueTimer.cancel(false);
      }
    }

    private Future<?> lateAfter(long millis, String what) {
      String why = what + " within " + millis + " ms";
      return terms.loop.schedule(() -> late(why), millis, TimeUnit.MILLISECONDS);
    }

    private void late(String why) {
      late = true;
      listener.late(why);
    }

    /**
     * A server that answers others meanwhile has too much to do, and is not gone; or it is the
     * connection that hangs: it is asked once more, on another.
     */
    private void overdue() {
      if (backend.answersSince(waitsSince)) {
        proved = true;
      } else {
        fail(new IOException("it did not answer within " + terms.overdueMillis + " ms"), false);
      }
      close();
    }

    /** No answer is no news: why there is none is heard elsewhere. */
    void heard(Found answer) {
      found = answer.code() < 0 ? null : answer;
    }

    void end() {
      lateTimer.cancel(false);
      cancelOverdue();
      question = null;
    }

    void answered(UpstreamConnection by, Found what) {
      proved = true;
      end();
      outcome.accept(new Answer(by, what, late));
    }
  }

  /**
   * Makes it, without a connection.
   *
   * @param login binds the connection before anything is asked; null if nothing does
   */
  public ProbeLink(
      Backend backend,
      Connector connector,
      Terms terms,
      @Nullable ServiceLogin login,
      Listener listener) {
    this.backend = backend;
    this.connector = connector;
    this.terms = terms;
    this.login = login;
    this.listener = listener;
  }

  /** Asks, unless something has been asked and is not answered. */
  public void ask(InternalSearch.Terms what, Consumer<Answer> outcome) {
    if (connection != null && connection.outdated(System.nanoTime(), Long.MAX_VALUE)) {
      close();
    }
    UpstreamConnection present = connection;
    boolean busy = question != null || (present != null && !isReady(present));
    if (!busy) {
      question = new Question(what, outcome);
      if (present == null) {
        connect();
      } else {
        send(present);
      }
    }
  }

  /** From now on, until the connection ends, others may ask on it. */
  public void share() {
    shared = true;
  }

  /**
   * Asks for somebody else, where that is possible. It says nothing of the server's health.
   *
   * @param outcome hears the answer, once, at the latest when it is overdue
   */
  public void askToo(InternalSearch.Terms what, Consumer<Found> outcome) {
    UpstreamConnection present = connection;
    if (present == null || !shared || !isReady(present)) {
      outcome.accept(Found.NO_ANSWER);
      return;
    }
    Operation search =
        InternalSearch.of(new InternalSession(terms.loop), terms.decoder, what, outcome);
    terms.loop.schedule(search::abandon, terms.overdueMillis, TimeUnit.MILLISECONDS);
    present.send(search);
  }

  private static boolean isReady(UpstreamConnection present) {
    return present.hasRoom(Integer.MAX_VALUE);
  }

  private void connect() {
    proved = false;
    shared = false;
    connector.connectUncounted(backend, this, this);
  }

  private void send(UpstreamConnection to) {
    Question asked = question;
    if (asked != null) {
      asked.sent();
      InternalSession nobody = new InternalSession(terms.loop);
      to.send(InternalSearch.of(nobody, terms.decoder, asked.what, found -> asked.heard(found)));
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

  /** The same, unless something is asked. */
  public void rest() {
    if (question == null) {
      close();
    }
  }

  @Override
  public void connected(UpstreamConnection made) {
    connection = made;
    backend.places().ofConnection().probeOpened(System.nanoTime());
    if (login == null) {
      made.ready();
      send(made);
    } else {
      login.on(made, accepted -> bound(made, accepted));
    }
  }

  private void bound(UpstreamConnection made, boolean accepted) {
    if (accepted) {
      send(made);
    } else if (login != null && login.busy()) {
      refused(made);
    } else {
      fail(new IOException("it does not let the probe bind"), false);
      made.close();
    }
  }

  /** That the server is busy is an answer. */
  private void refused(UpstreamConnection made) {
    Question asked = question;
    if (asked != null) {
      asked.end();
      made.close();
      asked.outcome.accept(new Answer(made, new Found(BUSY, null), asked.late));
    }
  }

  @Override
  public void failed(Throwable cause, boolean ours) {
    fail(cause, ours);
  }

  @Override
  public void room(UpstreamConnection of) {
    Question asked = question;
    Found found = asked == null ? null : asked.found;
    if (asked != null && found != null) {
      asked.answered(of, found);
    }
  }

  /** Servers end connections for many reasons; one that has answered there gets another chance. */
  @Override
  public void closed(UpstreamConnection of) {
    connection = null;
    backend.places().ofConnection().probeClosed();
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
    Question asked = question;
    if (asked != null && code != UNAVAILABLE && code != BUSY) {
      asked.answered(of, new Found(code, null));
    }
    of.close();
  }
}
