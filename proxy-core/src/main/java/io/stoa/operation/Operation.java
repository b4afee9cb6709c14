// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request in flight: what was asked, by whom, and where the answer goes. It belongs to the
 * event loop of its client from receipt to completion (event-loop confined). It holds the request
 * until it ends, so that it can be sent again.
 */
public final class Operation {
  private static final Set<String> ASKING = Set.of(Oids.WHO_AM_I, Oids.CANCEL);

  private final ClientSession session;
  private final RequestDecoder decoder;
  private final long receivedNanos;
  private final int octets;
  private LdapMessage message;
  private ResponseSink sink;
  private @Nullable Request request;
  private @Nullable Cancellation cancellation;
  private List<ReadFrom> sources = List.of();
  private boolean longLived;
  private boolean oneServer;
  private @Nullable Operation origin;
  private int sendings;
  private long heardNanos;
  private long waitsSince;
  private long waited;
  private int attempts;
  private OperationState state = OperationState.RECEIVED;

  /**
   * Takes ownership of the message.
   *
   * @param receivedNanos when it was received, in the time of {@link System#nanoTime}
   * @param sink makes the place to which the answer goes
   */
  public Operation(
      ClientSession session,
      LdapMessage message,
      RequestDecoder decoder,
      long receivedNanos,
      Function<Operation, ResponseSink> sink) {
    this.session = session;
    this.message = message;
    this.octets = message.length();
    this.decoder = decoder;
    this.receivedNanos = receivedNanos;
    this.heardNanos = receivedNanos;
    this.waitsSince = receivedNanos;
    this.sink = sink.apply(this);
  }

  /**
   * An operation that is done for this one: of the same session, and received when it was. Takes
   * ownership of the message.
   */
  public Operation derived(LdapMessage other, Function<Operation, ResponseSink> otherSink) {
    return derived(session, other, otherSink);
  }

  /** The same of another session, which stands for the one that asks. */
  public Operation derived(
      ClientSession deputy, LdapMessage other, Function<Operation, ResponseSink> otherSink) {
    return derived(deputy, other, receivedNanos, otherSink);
  }

  /**
   * The same of a part of what it asks for, which other parts may have preceded.
   *
   * @param since from when the part's own time limit counts
   */
  public Operation derived(
      ClientSession deputy,
      LdapMessage other,
      long since,
      Function<Operation, ResponseSink> otherSink) {
    Operation own = new Operation(deputy, other, decoder, since, otherSink);
    own.origin = this;
    own.oneServer = oneServer;
    own.waitsSince = heardNanos;
    return own;
  }

  /** Whether it is Stoa's own, done for another one, whose client does not know of it. */
  public boolean isDerived() {
    return origin != null;
  }

  /** The operation for which it is done; itself if it is not derived. */
  public Operation origin() {
    return origin == null ? this : origin;
  }

  /** What decodes its request. */
  RequestDecoder decoder() {
    return decoder;
  }

  /** Who asks. */
  public ClientSession session() {
    return session;
  }

  /** The messageID by which the client knows the operation. */
  public int messageId() {
    return message.messageId();
  }

  /** Octets of the request as it was received. */
  int octets() {
    return octets;
  }

  /**
   * Asks for less than was asked for. To be called before anything is done for the operation. Takes
   * ownership of the message.
   */
  public void become(LdapMessage less) {
    message.release();
    message = less;
    request = null;
  }

  /** The kind of request. */
  public OpType type() {
    return message.type();
  }

  /** The request as received; valid until the operation ends. */
  public LdapMessage message() {
    return message;
  }

  /**
   * The request, decoded when it is first asked for.
   *
   * @throws LdapProtocolException if it is malformed; nothing of it may go upstream
   */
  public Request request() throws LdapProtocolException {
    Request decoded = request;
    if (decoded == null) {
      decoded = decoder.decode(message);
      request = decoded;
    }
    return decoded;
  }

  /**
   * Whether it may change entries: updates, and extended operations that are not known to only ask.
   */
  public boolean mayChange() {
    return type().isUpdate()
        || (request != null
            && request.op() instanceof ExtendedOp extended
            && !ASKING.contains(extended.oid()));
  }

  /**
   * Begins again with an operation that was sent, if nothing stands against it: a change may have
   * happened, a Cancel names an operation of the connection it was sent on, and a client may have a
   * part of the answer.
   */
  public boolean beginAgain() {
    return !mayChange() && !isCancel() && sink.restart();
  }

  /** Whether it is a Cancel request (RFC 3909). */
  public boolean isCancel() {
    return request != null
        && request.op() instanceof ExtendedOp extended
        && extended.oid().equals(Oids.CANCEL);
  }

  /** How long a search may take by its own time limit (RFC 4511, section 4.5.1.5). */
  public long timeLimitNanos() {
    return request != null && request.op() instanceof SearchOp search && search.timeLimit() > 0
        ? TimeUnit.SECONDS.toNanos(search.timeLimit())
        : Long.MAX_VALUE;
  }

  /** Notes by which server it will be answered, it or a part of it; before that, perhaps others. */
  public void readFrom(ReadFrom server) {
    List<ReadFrom> more = new ArrayList<>(sources);
    more.add(server);
    sources = List.copyOf(more);
    if (origin != null) {
      origin.readFrom(server);
    }
  }

  /** Nothing that a server has answered is used. */
  public void notReadFrom(Object server) {
    sources = sources.stream().filter(source -> source.server() != server).toList();
    if (origin != null) {
      origin.notReadFrom(server);
    }
  }

  /** What is known of the servers that answer it, the last one being the last. */
  public List<ReadFrom> sources() {
    return sources;
  }

  /** When it was received, in the time of {@link System#nanoTime}. */
  public long receivedNanos() {
    return receivedNanos;
  }

  /** A part of the answer has come, to it or to what is done for it. */
  public void heard(long now) {
    heardNanos = now;
    if (origin != null) {
      origin.heard(now);
    }
  }

  /**
   * Since when its client has waited for a first part of this answer: since it was received, or, if
   * it is derived and others have been answered before, since the last part of their answers.
   */
  public long waitsSince() {
    return waitsSince;
  }

  /** It was kept waiting, and nobody was asked: its time begins now. */
  public void waitsFrom(long now) {
    waitsSince = now;
    heardNanos = now;
  }

  /** For how long it has waited to be sent, each time that it did; in nanoseconds. */
  public long waited() {
    return waited;
  }

  /** Notes the same. */
  public void waited(long nanos) {
    waited = nanos;
  }

  /** Reads that belong together are to be answered by one server, that which takes the writes. */
  public void oneServer() {
    oneServer = true;
  }

  /** Whether the server that takes the writes must answer, if it can. */
  public boolean isOfOneServer() {
    return oneServer;
  }

  /** Where the answer goes. */
  public ResponseSink sink() {
    return sink;
  }

  /** Replaces the sink, by one that wraps the present one. */
  public void sink(ResponseSink replacement) {
    sink = replacement;
  }

  /** Where the operation is. */
  public OperationState state() {
    return state;
  }

  /** Whether it has ended. */
  public boolean ended() {
    return state.isFinal();
  }

  /**
   * Moves the operation; the only place that does. An end releases the request.
   *
   * @throws IllegalStateException if the move is not legal
   */
  public void moveTo(OperationState next) {
    assert session.executor().inEventLoop() : "moved outside its event loop";
    if (next == state) {
      return;
    }
    if (!state.mayBecome(next)) {
      throw new IllegalStateException(state + " may not become " + next);
    }
    state = next;
    if (next.isFinal()) {
      cancellation = null;
      release();
    } else if (next != OperationState.STREAMING) {
      message = message.detached();
    }
  }

  /** Notes that the operation is sent to a server. */
  public void sent() {
    sendings++;
    if (origin != null) {
      origin.sent();
    }
  }

  /** Notes that it was not, after all: it never left Stoa. */
  public void notSent() {
    sendings--;
    if (origin != null) {
      origin.notSent();
    }
  }

  /** Notes that the operation got no answer; how often that was so by now. */
  public int unanswered() {
    return ++attempts;
  }

  /** How often the operation was sent to a server. */
  public int sendings() {
    return sendings;
  }

  /** Says how the operation is ended upstream, or among the waiting, before its answer. */
  public void cancellation(@Nullable Cancellation means) {
    cancellation = means;
  }

  /** How to end it before its answer; null if nothing was begun. */
  public @Nullable Cancellation cancellation() {
    return cancellation;
  }

  /** Marks a search that goes on until the client ends it. */
  public void longLived(boolean endless) {
    longLived = endless;
  }

  /** Whether this is a search that goes on until the client ends it: it has no deadline. */
  public boolean longLived() {
    return longLived;
  }

  /**
   * The client does not want the operation any more. Has no effect if it has ended. What others
   * want, too, goes on without the client.
   */
  public void abandon() {
    if (ended()) {
      return;
    }
    Cancellation means = cancellation;
    boolean goesOn = means != null && sink.wanted() && means.outlives();
    ResponseSink own = means != null && goesOn ? passOn(means) : sink;
    moveTo(OperationState.ABANDONED);
    if (means != null && !goesOn) {
      means.abandon();
    }
    own.abandoned();
  }

  /** The same of a client that is told. */
  public void cancel(Rejection reason) {
    Cancellation means = cancellation;
    boolean goesOn = means != null && sink.wanted() && means.outlives();
    ResponseSink own = means != null && goesOn ? passOn(means) : sink;
    if (means != null && !goesOn) {
      means.abandon();
    }
    own.reject(reason);
  }

  /** What goes on is nobody's, so it is never sent again. Returns where the client is told. */
  private ResponseSink passOn(Cancellation means) {
    Operation heir =
        new Operation(
            new InternalSession(session.executor()),
            message.shared(),
            decoder,
            receivedNanos,
            own -> sink);
    heir.request = request;
    heir.sendings = sendings;
    heir.sources = sources;
    heir.waitsSince = waitsSince;
    heir.waited = waited;
    heir.moveTo(state);
    means.passOn(heir);
    return sink.inherited(heir);
  }

  private void release() {
    if (type() == OpType.BIND_REQUEST) {
      message.wipeAndRelease();
    } else {
      message.release();
    }
  }
}
