// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.digest.SearchDigest;
import io.stoa.operation.event.CacheOutcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request in flight: the request, its session, and the sink of its answer. The request is kept
 * until the end, so that it can be sent again.
 *
 * <p>Threading: event loop of its client, from receipt to completion.
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
  private boolean longLived;
  private boolean oneServer;
  private boolean plain;
  private @Nullable UpstreamProgress progress;
  private CacheOutcome outcome = CacheOutcome.NONE;
  private OperationState state = OperationState.RECEIVED;
  private @Nullable OperationTrace trace;

  /**
   * Creates an operation. Takes ownership of the message.
   *
   * @param receivedNanos time of receipt, as of {@link System#nanoTime}
   * @param sink creates the sink of the answer
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
    this.sink = sink.apply(this);
  }

  /**
   * Creates an operation on behalf of this one, with the same session and time of receipt. Takes
   * ownership of the message.
   */
  public Operation derived(LdapMessage other, Function<Operation, ResponseSink> otherSink) {
    return derived(session, other, otherSink);
  }

  /**
   * Creates an operation on behalf of this one, with a session that acts for this one's. Takes
   * ownership of the message.
   */
  public Operation derived(
      ClientSession actingSession, LdapMessage other, Function<Operation, ResponseSink> otherSink) {
    return derived(actingSession, other, receivedNanos, otherSink);
  }

  /**
   * Creates an operation for a part of this one; other parts may have preceded it. Takes ownership
   * of the message.
   *
   * @param since time from which the part's own time limit counts
   */
  public Operation derived(
      ClientSession actingSession,
      LdapMessage other,
      long since,
      Function<Operation, ResponseSink> otherSink) {
    Operation operation = new Operation(actingSession, other, decoder, since, otherSink);
    operation.oneServer = oneServer;
    operation.trace = trace;
    operation.progress().origin = this;
    operation.progress().waitsSince = lastResponseNanos();
    return operation;
  }

  /**
   * Creates an operation of the same session whose answer is no part of the answer to this one. So
   * the servers that it reads from are not sources of this one. Takes ownership of the message.
   *
   * @param since time from which its own time limit counts
   */
  public Operation beside(
      LdapMessage other, long since, Function<Operation, ResponseSink> otherSink) {
    Operation operation = new Operation(session, other, decoder, since, otherSink);
    operation.progress().origin = this;
    operation.progress().beside = true;
    return operation;
  }

  /** True if Stoa created it on behalf of another operation. The client does not know of it. */
  public boolean isDerived() {
    return parent() != null;
  }

  /** Returns the operation for which it was created; itself if it is not derived. */
  public Operation origin() {
    Operation parent = parent();
    return parent == null ? this : parent;
  }

  private @Nullable Operation parent() {
    return progress == null ? null : progress.origin;
  }

  /** Returns the operation whose answer includes the answer to this one; null if there is none. */
  private @Nullable Operation whole() {
    return progress == null || progress.beside ? null : progress.origin;
  }

  /** Returns the decoder of its request. */
  RequestDecoder decoder() {
    return decoder;
  }

  /** Returns the session that sent it. */
  public ClientSession session() {
    return session;
  }

  /** Returns the messageID by which the client knows the operation. */
  public int messageId() {
    return message.messageId();
  }

  /** Returns the octets of the request as received. */
  int octets() {
    return octets;
  }

  /**
   * Replaces the request by one that asks for less. Called before any work on the operation. Takes
   * ownership of the message.
   */
  public void replaceRequest(LdapMessage replacement) {
    message.release();
    message = replacement;
    request = null;
    plain = false;
  }

  /** Returns the kind of request. */
  public OpType type() {
    return message.type();
  }

  /** Returns the request as received; valid until the operation ends. */
  public LdapMessage message() {
    return message;
  }

  /**
   * Returns the request, decoded at the first call.
   *
   * @throws MalformedRequestException if it is malformed; then no part of it may go upstream
   */
  public Request request() {
    Request decoded = request;
    if (decoded == null) {
      try {
        decoded = (plain ? RequestDecoder.OF_ACCEPTED : decoder).decode(message);
      } catch (LdapProtocolException e) {
        throw new MalformedRequestException(e.reason());
      }
      request = decoded;
    }
    return decoded;
  }

  /**
   * Decodes the request unless it is plain. A stage calls this before the operation waits, so that
   * later calls of {@link #request} cannot fail.
   *
   * @throws MalformedRequestException if it is malformed; then no part of it may go upstream
   */
  public void checkRequest() {
    if (!plain) {
      request();
    }
  }

  /**
   * Marks a search or compare as plain: another request that differs only in values has been
   * accepted, was regular, and had no controls. So it needs no decoding to be sent.
   *
   * @param accepted the limits by which that request was decoded; no effect if others hold now
   */
  public void markPlain(DecodeLimits accepted) {
    plain = accepted.equals(limits());
  }

  /** Returns the limits by which requests are decoded now. */
  public DecodeLimits limits() {
    return decoder.limits();
  }

  /** Returns the present limits; null if {@link #request} has decoded by earlier ones. */
  public @Nullable DecodeLimits limitsBeforeDecoding() {
    return request == null ? limits() : null;
  }

  /** True if the request is known to be well-formed, regular and without controls. */
  public boolean isPlain() {
    return plain;
  }

  /**
   * True if it may change entries: for updates, and for extended operations except those known to
   * be reads.
   */
  public boolean mayChange() {
    return type().isUpdate()
        || (request != null
            && request.op() instanceof ExtendedOp extended
            && !ASKING.contains(extended.oid()));
  }

  /**
   * Prepares a sent operation for a retry; false if it must not be repeated. A write may have taken
   * effect. A Cancel names an operation of the connection on which it was sent. A client may have
   * received a part of the answer.
   */
  public boolean beginAgain() {
    return !mayChange() && !isCancel() && sink.restart();
  }

  /** True for a Cancel request (RFC 3909). */
  public boolean isCancel() {
    return request != null
        && request.op() instanceof ExtendedOp extended
        && extended.oid().equals(Oids.CANCEL);
  }

  /** Returns the time limit of a search in nanoseconds (RFC 4511, section 4.5.1.5). */
  public long timeLimitNanos() {
    boolean known = request != null || (plain && !hasEnded());
    return known && request().op() instanceof SearchOp search && search.timeLimit() > 0
        ? TimeUnit.SECONDS.toNanos(search.timeLimit())
        : Long.MAX_VALUE;
  }

  /** Records a server that answers the operation or a part of it. Earlier ones stay recorded. */
  public void addSource(ReadSource server) {
    List<ReadSource> extended = new ArrayList<>(sources());
    extended.add(server);
    progress().sources = List.copyOf(extended);
    Operation whole = whole();
    if (whole != null) {
      whole.addSource(server);
    }
  }

  /** Removes a server whose answer was discarded. */
  public void removeSource(Object server) {
    progress().sources = sources().stream().filter(source -> source.server() != server).toList();
    Operation whole = whole();
    if (whole != null) {
      whole.removeSource(server);
    }
  }

  /** Returns its progress beyond Stoa, which begins when it leaves for a server. */
  private UpstreamProgress progress() {
    UpstreamProgress known = progress;
    if (known == null) {
      known = new UpstreamProgress(receivedNanos);
      progress = known;
    }
    return known;
  }

  /** Begins to record its course, for logs and traces. Called before any work on it. */
  public void recordTo(OperationTrace newTrace) {
    trace = newTrace;
  }

  /**
   * Returns the course of the operation, which derived operations share; null if no log or trace
   * records the operation.
   */
  public @Nullable OperationTrace trace() {
    return trace;
  }

  /** Returns how the caches took part in it and in the operations derived from it. */
  public CacheOutcome outcome() {
    return outcome;
  }

  private Operation root() {
    Operation root = this;
    for (Operation whole = whole(); whole != null; whole = whole.whole()) {
      root = whole;
    }
    return root;
  }

  private void setOutcome(CacheOutcome newOutcome) {
    Operation root = root();
    boolean hit = newOutcome == CacheOutcome.HIT || newOutcome == CacheOutcome.STALE;
    if (!hit || root.outcome != CacheOutcome.JOINED) {
      root.outcome = newOutcome;
    }
  }

  /** Records that a server answers and that its answer may be stored. */
  public void onMiss() {
    setOutcome(CacheOutcome.MISS);
    if (trace != null) {
      trace.onMiss();
    }
  }

  /**
   * Records that a server answers and that its answer must not be stored.
   *
   * @param reason identifier of the reason
   */
  public void onBypass(String reason) {
    setOutcome(CacheOutcome.BYPASS);
    if (trace != null) {
      trace.onBypass(reason);
    }
  }

  /** Records an answer from memory; that of an operation that has joined another stays a join. */
  public void onHit(boolean stale) {
    setOutcome(stale ? CacheOutcome.STALE : CacheOutcome.HIT);
    if (trace != null) {
      trace.onHit(stale);
    }
  }

  /** Records that the operation waits for an equal search in flight. */
  public void onJoin() {
    setOutcome(CacheOutcome.JOINED);
    if (trace != null) {
      trace.onJoin();
    }
  }

  /** Records that a second server was asked because the first was late. */
  public void onHedged() {
    if (trace != null) {
      trace.onHedged();
    }
  }

  /** Records that the operation is the administrator's, or that it concerns Stoa's own trees. */
  public void onAdministrative() {
    if (trace != null) {
      trace.onAdministrative();
    }
  }

  /** Records that the operation is a read that the audit log contains, such as a trace. */
  public void onAction() {
    if (trace != null) {
      trace.onAction();
    }
  }

  /**
   * Sets the digest that counts the search, or the search from which it is derived, at its end. A
   * hit is counted at once, and needs none.
   */
  public void setDigest(SearchDigest digest) {
    root().progress().digest = digest;
  }

  /** Counts the search in its digest, if it has one. Called once, when it ends. */
  public @Nullable SearchDigest countInDigest(int resultCode) {
    UpstreamProgress reached = progress;
    SearchDigest digest = reached == null ? null : reached.digest;
    if (reached == null || digest == null || longLived) {
      return null;
    }
    reached.digest = null;
    long nanos = System.nanoTime() - receivedNanos;
    long upstream = reached.sendings == 0 ? 0 : nanos;
    SearchDigest.Answer answer =
        new SearchDigest.Answer(reached.entries, reached.octets, resultCode);
    digest.add(outcome, answer, nanos, upstream);
    return digest;
  }

  /** Counts a response that was sent to the client. */
  public void countResponse(boolean entry, int length) {
    if (progress != null && progress.digest != null) {
      progress.entries += entry ? 1 : 0;
      progress.octets += length;
    }
    if (trace != null) {
      trace.countResponse(entry, length);
    }
  }

  /** True if the request has been decoded. */
  public boolean isDecoded() {
    return request != null;
  }

  /** Returns when the last part of an answer arrived from a server, or the time of receipt. */
  public long lastResponseNanos() {
    return progress == null ? receivedNanos : progress.lastResponseNanos;
  }

  /** Returns the servers that answer the operation, in order. */
  public List<ReadSource> sources() {
    return progress == null ? List.of() : progress.sources;
  }

  /** Returns the time of receipt, as of {@link System#nanoTime}. */
  public long receivedNanos() {
    return receivedNanos;
  }

  /**
   * Records the time at which a part of the answer arrived, for it and the operation it is derived
   * from.
   */
  public void onResponsePart(long now) {
    progress().lastResponseNanos = now;
    Operation whole = whole();
    if (whole != null) {
      whole.onResponsePart(now);
    } else if (trace != null) {
      trace.onAnswer(now);
    }
  }

  /**
   * Returns the time since when its client has waited for the first part of this answer. This is
   * the time of receipt. For a derived operation it is the time of the last part of earlier
   * answers.
   */
  public long waitsSince() {
    return progress == null ? receivedNanos : progress.waitsSince;
  }

  /** Restarts the time of waiting, since it was held and no server was asked. */
  public void restartWait(long now) {
    progress().waitsSince = now;
    progress().lastResponseNanos = now;
  }

  /** Returns the total time for which it has waited to be sent, in nanoseconds. */
  public long waited() {
    return progress == null ? 0 : progress.waited;
  }

  /** Sets the total time for which it has waited to be sent, in nanoseconds. */
  public void setWaited(long nanos) {
    progress().waited = nanos;
  }

  /** Requires the server that takes the writes, since related reads need one server. */
  public void requireOneServer() {
    oneServer = true;
  }

  /** True if the server that takes the writes must answer, where it can. */
  public boolean needsOneServer() {
    return oneServer;
  }

  /** Returns the sink of the answer. */
  public ResponseSink sink() {
    return sink;
  }

  /** Replaces the sink by one that wraps the present one. */
  public void setSink(ResponseSink replacement) {
    sink = replacement;
  }

  /** Returns the state of the operation. */
  public OperationState state() {
    return state;
  }

  /** True if the operation has ended. */
  public boolean hasEnded() {
    return state.isFinal();
  }

  /**
   * Moves the operation to a state; the only method that does. An end releases the request.
   *
   * @throws IllegalStateException if the transition is not legal
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
    if (next == OperationState.WAITING && trace != null) {
      trace.onQueued();
    }
    if (next.isFinal()) {
      setCancellation(null);
      release();
    } else if (next != OperationState.STREAMING) {
      message = message.detached();
    }
  }

  /** Counts that the operation was sent to a server. */
  public void countSending() {
    progress().sendings++;
    Operation whole = whole();
    if (whole != null) {
      whole.countSending();
    }
  }

  /** Takes back a recorded sending, since the operation never left Stoa. */
  public void uncountSending() {
    progress().sendings--;
    Operation whole = whole();
    if (whole != null) {
      whole.uncountSending();
    }
  }

  /** Records an attempt without an answer, and returns the number of these. */
  public int countUnanswered() {
    if (trace != null) {
      trace.onFailed();
    }
    return ++progress().attempts;
  }

  /** Returns the number of times it was sent to a server. */
  public int sendings() {
    return progress == null ? 0 : progress.sendings;
  }

  /** Sets how the operation is ended before its answer. */
  public void setCancellation(@Nullable Cancellation newCancellation) {
    if (newCancellation != null) {
      progress().cancellation = newCancellation;
    } else if (progress != null) {
      progress.cancellation = null;
    }
  }

  /** Returns how the operation is ended before its answer; null if no work has begun. */
  public @Nullable Cancellation cancellation() {
    return progress == null ? null : progress.cancellation;
  }

  /** Marks a search that runs until the client ends it. */
  public void setLongLived(boolean endless) {
    longLived = endless;
  }

  /** True for a search that runs until the client ends it: it has no deadline. */
  public boolean isLongLived() {
    return longLived;
  }

  /**
   * Abandons the operation; no effect if it has ended. If others wait for its answer, it continues
   * without the client.
   */
  public void abandon() {
    if (hasEnded()) {
      return;
    }
    Cancellation current = cancellation();
    boolean continues = current != null && sink.hasOtherWaiters() && current.canOutliveClient();
    ResponseSink clientSink = current != null && continues ? passOn(current) : sink;
    moveTo(OperationState.ABANDONED);
    if (current != null && !continues) {
      current.abandon();
    }
    clientSink.onAbandoned();
  }

  /**
   * Cancels the operation, and answers the client. If others wait for its answer, it continues
   * without the client.
   */
  public void cancel(Rejection reason) {
    Cancellation current = cancellation();
    boolean continues = current != null && sink.hasOtherWaiters() && current.canOutliveClient();
    ResponseSink clientSink = current != null && continues ? passOn(current) : sink;
    if (current != null && !continues) {
      current.abandon();
    }
    clientSink.reject(reason);
  }

  /**
   * Creates the operation that continues for the others, without a client. No retry follows.
   *
   * @return the sink of the client
   */
  private ResponseSink passOn(Cancellation means) {
    Operation successor =
        new Operation(
            new InternalSession(session.executor()),
            message.retained(),
            decoder,
            receivedNanos,
            own -> sink);
    successor.request = request;
    request = null; // the successor zeroes it
    successor.plain = plain;
    successor.progress = progress().passedOn();
    successor.moveTo(state);
    means.passOn(successor);
    return sink.inherited(successor);
  }

  /** Releases the request, and zeroes what may be a password. */
  private void release() {
    if (request != null && request.op() instanceof CompareOp compare) {
      Arrays.fill(compare.value(), (byte) 0);
    }
    if (type() == OpType.BIND_REQUEST) {
      message.wipeAndRelease();
    } else {
      message.release();
    }
  }
}
