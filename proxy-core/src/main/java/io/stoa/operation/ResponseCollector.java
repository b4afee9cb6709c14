// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects the answer to one of Stoa's own operations up to a limit, and ends the operation.
 *
 * <p>Threading: event loop.
 */
public final class ResponseCollector extends InternalSink {
  private final Operation operation;
  private final Limit limit;
  private final Consumer<CollectedResponse> outcome;
  private final BufferReservation reservation;
  private List<EncodedResponse> entries = new ArrayList<>(1);
  private long octets;
  private boolean incomplete;
  private boolean givenUp;
  private boolean reported;

  /**
   * Creates the sink of an operation.
   *
   * @param outcome called once, when the operation has ended
   */
  public ResponseCollector(Operation operation, Limit limit, Consumer<CollectedResponse> outcome) {
    super(operation);
    this.operation = operation;
    this.limit = limit;
    this.outcome = outcome;
    this.reservation = new BufferReservation(operation.session());
  }

  /**
   * Bounds what is collected.
   *
   * <p>Threading: immutable.
   *
   * @param entries maximum number of entries
   * @param octets maximum octets of all entries together
   * @param large maximum octets of an entry that is too large for one message; 0 for none
   * @param forClient true if a client receives the entries: they count against its limit of held
   *     answers, and must have no controls
   * @param abandons true if an answer with more or other parts is abandoned; false if these parts
   *     are left out
   */
  public record Limit(long entries, long octets, int large, boolean forClient, boolean abandons) {
    /** Limit for the result code only. */
    public static final Limit FINAL_RESPONSE = firstEntries(0);

    /** Returns the limit for the first entries; others are left out. */
    public static Limit firstEntries(long max) {
      return new Limit(max, Long.MAX_VALUE, 0, false, false);
    }

    /** Returns the limit for one entry; it may be as large as this. */
    public static Limit oneEntry(int large) {
      return new Limit(1, Long.MAX_VALUE, large, false, false);
    }

    /** Returns the limit for whole answers of some octets; others are abandoned. */
    public static Limit wholeAnswer(long octets) {
      return new Limit(Integer.MAX_VALUE, octets, 0, false, true);
    }

    /** Returns the limit for whole answers that a client receives; others are abandoned. */
    public static Limit forClient(int entries) {
      return new Limit(entries, Long.MAX_VALUE, 0, true, true);
    }
  }

  /**
   * The collected answer. The receiver owns the list.
   *
   * <p>Threading: immutable, except for the list and the arrays.
   *
   * @param entries the entries
   * @param done protocolOp of the final response; null if there is none
   * @param complete false if parts were left out or the answer was abandoned for its size or kind
   * @param fromServer true if a server sent the final response
   * @param refusal reason for which Stoa refused the operation; null if it did not
   */
  public record CollectedResponse(
      List<EncodedResponse> entries,
      byte @Nullable [] done,
      boolean complete,
      boolean fromServer,
      @Nullable Rejection refusal) {
    /** Returns the octets of the entries. */
    public List<byte[]> octets() {
      return entries.stream().map(EncodedResponse::op).toList();
    }

    /** Returns the result code; below 0 if there is none. */
    public int code() {
      return done == null ? -1 : LdapResult.codeOf(done);
    }
  }

  // Parts

  @Override
  public void respond(Response response) {
    if (incomplete && limit.abandons()) {
      response.release();
    } else if (response instanceof LdapMessage message) {
      addMessage(message);
    } else if (response instanceof LargeMessage message) {
      addLarge(message);
    } else if (response instanceof EncodedResponse own) {
      add(own);
    }
  }

  private void addMessage(LdapMessage message) {
    boolean usable = !limit.forClient() || !message.hasControls();
    if (usable && message.type() == OpType.SEARCH_RESULT_ENTRY) {
      add(new EncodedResponse(message.copyOp()));
    } else if (message.type() != OpType.INTERMEDIATE_RESPONSE || limit.abandons()) {
      leaveOut();
    }
    message.release();
  }

  private void add(EncodedResponse part) {
    int length = part.op().length;
    if (part.type() == OpType.SEARCH_RESULT_ENTRY && hasRoom(length)) {
      octets += length;
      entries.add(part);
    } else {
      leaveOut();
    }
  }

  private boolean hasRoom(int more) {
    return entries.size() < limit.entries()
        && octets + more <= limit.octets()
        && (!limit.forClient() || reservation.reserve(more));
  }

  /** Abandons the operation after this call where the limit says so: its sender still uses it. */
  private void leaveOut() {
    boolean first = !incomplete;
    incomplete = true;
    if (first && limit.abandons()) {
      clear();
      operation.session().executor().execute(this::giveUp);
    }
  }

  private void giveUp() {
    givenUp = true;
    operation.abandon();
  }

  private void addLarge(LargeMessage message) {
    boolean entry = message.type() == OpType.SEARCH_RESULT_ENTRY;
    boolean room = entries.size() < limit.entries() && message.bodyLength() <= limit.large();
    if (entry && room) {
      message.readBy(new LargeEntry(message));
    } else {
      leaveOut();
    }
  }

  /** Collects an entry that arrives in parts. Threading: event loop. */
  private final class LargeEntry implements LargeMessage.Reader {
    private final ByteBuf body;
    private final int opLength;

    LargeEntry(LargeMessage large) {
      body = Unpooled.buffer(large.bodyLength());
      opLength = large.opLength();
    }

    @Override
    public void onPiece(ByteBuf piece) {
      body.writeBytes(piece);
      piece.release();
    }

    @Override
    public void onEnd() {
      add(new EncodedResponse(ByteBufUtil.getBytes(body, 0, opLength)));
    }

    @Override
    public void onCutOff() {
      // The operation is sent again, or refused.
    }

    @Override
    public boolean isWanted() {
      return !hasEnded();
    }
  }

  // The end

  /** Ends the operation. A large response counts as none: none that is of use is that large. */
  @Override
  public void complete(Response response) {
    if (response instanceof LdapMessage message) {
      byte[] resultOp = message.copyOp();
      incomplete |= limit.forClient() && message.hasControls();
      message.release();
      end(resultOp, true, null);
    } else if (response instanceof EncodedResponse own) {
      end(own.op(), false, null);
    } else {
      incomplete = true;
      end(null, true, null);
    }
  }

  @Override
  public void reject(Rejection reason) {
    end(null, false, reason);
  }

  private void end(byte @Nullable [] done, boolean fromServer, @Nullable Rejection refusal) {
    if (end()) {
      report(done, !incomplete, fromServer, refusal);
    }
  }

  /** Reports the end. A client that abandons its operation does not make the answer incomplete. */
  @Override
  public void onAbandoned() {
    report(null, !givenUp, false, null);
  }

  private void report(
      byte @Nullable [] done, boolean complete, boolean fromServer, @Nullable Rejection refusal) {
    if (!reported) {
      reported = true;
      List<EncodedResponse> collected = entries;
      clear();
      outcome.accept(new CollectedResponse(collected, done, complete, fromServer, refusal));
    }
  }

  private void clear() {
    entries = new ArrayList<>(1);
    octets = 0;
    if (limit.forClient()) {
      reservation.release();
    }
  }

  /** Allows it unless the answer is being abandoned: another one would have the same size. */
  @Override
  public boolean restart() {
    boolean abandoned = incomplete && limit.abandons();
    clear();
    incomplete = abandoned;
    return !abandoned && super.restart();
  }
}
