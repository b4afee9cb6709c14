// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import io.netty.util.concurrent.Future;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Computes Stoa's own answers on two threads beside the event loops, and sends them on the client's
 * event loop.
 *
 * <ol>
 *   <li>One answer of a client is computed at a time, in the order of its requests. The next one
 *       begins when it has ended. Clients take turns; the administrator goes first.
 *   <li>At most {@link #MAX_PER_CLIENT} answers of a client wait, and {@link #MAX} of all clients.
 *       More are answered busy. As many again may wait for the administrator.
 *   <li>A search ends with timeLimitExceeded at the time limit of its request (RFC 4511, section
 *       4.5.1.5). Any answer that takes longer than ten seconds to compute ends with
 *       adminLimitExceeded. Both count from the receipt of the request.
 *   <li>When an operation ends (Abandon, Cancel, a closed connection, a time limit), its
 *       computation stops and nothing is sent. A client binds only when its operations have ended,
 *       so that no answer reaches another identity.
 * </ol>
 *
 * <p>Threading: thread-safe. The tasks of one client belong to its event loop.
 */
public final class AnswerQueue implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AnswerQueue.class);

  private static final int THREADS = 2;
  private static final int IDLE_SECONDS = 10;

  /**
   * Maximum number of waiting answers of one client: 128. Each holds its request of at most 64 KiB.
   */
  private static final int MAX_PER_CLIENT = 128;

  /** Maximum number of waiting answers of all clients: 1,024. */
  private static final int MAX = 1024;

  /** Maximum time to compute an answer, from the receipt of its request: 10 s. */
  private static final Duration MAX_COMPUTATION = Duration.ofSeconds(10);

  private static final int TIME_LIMIT_EXCEEDED = 3;
  private static final int ADMIN_LIMIT_EXCEEDED = 11;
  private static final int BUSY = 51;
  private static final int OTHER = 80;

  private final long maxNanos;
  private final ThreadPoolExecutor threads;
  private final Map<ClientSession, Client> clients = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicLong turns = new AtomicLong();

  /** Creates an empty queue. */
  public AnswerQueue() {
    this(MAX_COMPUTATION);
  }

  /** Creates an empty queue with another maximum time. */
  AnswerQueue(Duration timeout) {
    this.maxNanos = timeout.toNanos();
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new PriorityBlockingQueue<>(),
            AnswerQueue::thread);
    threads.allowCoreThreadTimeOut(true);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "stoa-answers");
    thread.setDaemon(true);
    return thread;
  }

  /** State of the answer being computed. Threading: thread-safe. */
  @FunctionalInterface
  public interface CancellationCheck {
    /** An answer that is never cancelled. */
    CancellationCheck ALWAYS = () -> {};

    /**
     * Returns if the client still waits for the answer.
     *
     * @throws CancellationException if the operation has ended
     */
    void check();
  }

  /**
   * Answers an operation now or later. Called on its event loop.
   *
   * @param survey starts to collect the input of the answer; called on the event loop
   * @param find computes the answer on a thread of the queue, and returns the task that sends it on
   *     the event loop
   */
  public <T> void submit(
      Operation operation,
      Supplier<CompletableFuture<T>> survey,
      BiFunction<T, CancellationCheck, Runnable> find) {
    ClientSession session = operation.session();
    int limit = session.identity().isAdministrator() ? 2 * MAX : MAX;
    Client waitingClient = clients.get(session);
    int queued = waitingClient == null ? 0 : waitingClient.tasks.size();
    if (queued >= MAX_PER_CLIENT || waiting.get() >= limit) {
      complete(operation, BUSY, "too many requests for Stoa's own trees are queued; retry later");
    } else {
      Client client = clients.computeIfAbsent(session, Client::new);
      client.add(new Task<>(client, operation, survey, find));
    }
  }

  private static void complete(Operation operation, int code, String diagnostic) {
    operation.sink().complete(LdapResult.encode(operation.type().response(), code, diagnostic));
  }

  /** Stops the threads. Answers in the queue are not computed. */
  @Override
  public void close() {
    threads.shutdownNow();
  }

  /** A client's turn on one of the threads. Threading: immutable. */
  private record Turn(boolean first, long number, Runnable work)
      implements Runnable, Comparable<Turn> {
    private static final Comparator<Turn> ORDER =
        Comparator.comparing(Turn::first).reversed().thenComparingLong(Turn::number);

    @Override
    public int compareTo(Turn other) {
      return ORDER.compare(this, other);
    }

    @Override
    public void run() {
      work.run();
    }
  }

  /** The pending answers of a client. Threading: event loop, except {@link #run}. */
  private final class Client implements Runnable {
    private final ClientSession session;
    private final ArrayDeque<Task<?>> tasks = new ArrayDeque<>(2);
    private final AtomicReference<@Nullable Runnable> ready = new AtomicReference<>();
    private final AtomicBoolean queued = new AtomicBoolean();

    Client(ClientSession session) {
      this.session = session;
    }

    void add(Task<?> task) {
      tasks.add(task);
      task.enqueue();
      if (tasks.size() == 1) {
        task.begin();
      }
    }

    /** Queues the work of the first task. A client has one turn at a time. */
    void queueWork(Runnable work) {
      ready.set(work);
      if (queued.compareAndSet(false, true)) {
        boolean first = session.identity().isAdministrator();
        try {
          threads.execute(new Turn(first, turns.incrementAndGet(), this));
        } catch (RejectedExecutionException closed) {
          LOG.debug("not answered: Stoa is shutting down");
        }
      }
    }

    @Override
    public void run() {
      queued.set(false);
      Runnable work = ready.getAndSet(null);
      if (work != null) {
        work.run();
      }
    }

    /**
     * Removes a task. The next one begins later, as the connection may be about to end all of them.
     */
    void remove(Task<?> task) {
      boolean first = tasks.peek() == task;
      tasks.remove(task);
      if (first) {
        ready.set(null);
      }
      Task<?> next = tasks.peek();
      if (next == null) {
        clients.remove(session);
      } else if (first) {
        session.executor().execute(next::begin);
      }
    }
  }

  /** One answer. Threading: event loop, except its computation. */
  private final class Task<T> implements CancellationCheck {
    private final Client client;
    private final Operation operation;
    private final Supplier<CompletableFuture<T>> survey;
    private final BiFunction<T, CancellationCheck, Runnable> find;
    private boolean waits = true;
    private @Nullable Future<?> limit;
    private volatile boolean ended;

    Task(
        Client client,
        Operation operation,
        Supplier<CompletableFuture<T>> survey,
        BiFunction<T, CancellationCheck, Runnable> find) {
      this.client = client;
      this.operation = operation;
      this.survey = survey;
      this.find = find;
    }

    void enqueue() {
      waiting.incrementAndGet();
      operation.setSink(new EndSink(operation.sink(), this::end));
      operation.moveTo(OperationState.WAITING);
      limit(Math.min(operation.timeLimitNanos(), maxNanos));
    }

    private void limit(long maxWait) {
      long remaining = Math.max(0, maxWait - (System.nanoTime() - operation.receivedNanos()));
      limit = client.session.executor().schedule(this::expire, remaining, TimeUnit.NANOSECONDS);
    }

    private void expire() {
      if (!waits || operation.timeLimitNanos() <= maxNanos) {
        complete(operation, TIME_LIMIT_EXCEEDED, "");
      } else {
        complete(operation, ADMIN_LIMIT_EXCEEDED, "the answer took too long to compute");
      }
    }

    void begin() {
      if (ended) {
        return;
      }
      try {
        survey
            .get()
            .whenCompleteAsync(
                (surveyed, defect) -> {
                  if (defect == null) {
                    proceed(surveyed);
                  } else {
                    onFailed(defect);
                  }
                },
                client.session.executor());
      } catch (RuntimeException defect) {
        onFailed(defect);
      }
    }

    private void proceed(T surveyed) {
      if (!ended) {
        client.queueWork(() -> compute(surveyed));
      }
    }

    private void compute(T surveyed) {
      try {
        Runnable give = find.apply(surveyed, this);
        post(() -> send(give));
      } catch (CancellationException unwanted) {
        LOG.debug("answer cancelled by the client");
      } catch (RuntimeException defect) {
        post(() -> onFailed(defect));
      }
    }

    private void post(Runnable task) {
      try {
        client.session.executor().execute(task);
      } catch (RejectedExecutionException closed) {
        LOG.debug("not answered: Stoa is shutting down");
      }
    }

    /** Sends the answer. From now on only the client's own time limit counts. */
    private void send(Runnable give) {
      if (ended) {
        return;
      }
      onComputed();
      if (operation.timeLimitNanos() < Long.MAX_VALUE) {
        limit(operation.timeLimitNanos());
      }
      try {
        give.run();
      } catch (RuntimeException defect) {
        onFailed(defect);
      }
    }

    private void onFailed(Throwable defect) {
      if (!ended) {
        LOG.error("answer from Stoa's own trees failed: internal error", defect);
        complete(operation, OTHER, "");
      }
    }

    private void onComputed() {
      if (waits) {
        waits = false;
        waiting.decrementAndGet();
      }
      Future<?> old = limit;
      if (old != null) {
        old.cancel(false);
      }
    }

    private void end() {
      if (!ended) {
        ended = true;
        onComputed();
        client.remove(this);
      }
    }

    @Override
    public void check() {
      if (ended) {
        throw new CancellationException();
      }
    }
  }
}
