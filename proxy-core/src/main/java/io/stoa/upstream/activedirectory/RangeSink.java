// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.activedirectory;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Response;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.operation.BufferReservation;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds a result from the first entry with an attribute in ranges. At the end of the result the
 * missing values are read, entry by entry, and the whole is passed on in order. If the buffer limit
 * is exceeded, the rest is passed on unchanged.
 *
 * <p>Threading: event loop.
 */
final class RangeSink extends ForwardingSink implements Cancellation {
  private final RangeStage stage;
  private final Operation operation;
  private final List<LdapMessage> messages = new ArrayList<>(1);
  private final BufferReservation reservation;
  private long stageReserved;
  private int merged;
  private boolean passing;
  private boolean merging;
  private @Nullable LdapMessage result;
  private @Nullable RangeMerge merge;

  RangeSink(RangeStage stage, Operation operation) {
    super(operation.sink());
    this.stage = stage;
    this.operation = operation;
    this.reservation = new BufferReservation(operation.session());
  }

  @Override
  public void respond(Response response) {
    LdapMessage message = response instanceof LdapMessage own ? own : null;
    if (passing || (message != null && messages.isEmpty() && entryWithRange(message) == null)) {
      next.respond(response);
    } else if (message != null && reserve(message.opLength())) {
      messages.add(message.detached());
    } else {
      passing = true; // a large response cannot be held
      next.doNotStore();
      passHeld();
      next.respond(response);
    }
  }

  /** Returns the entry if it has an attribute in ranges; else null. */
  private static @Nullable SearchEntry entryWithRange(LdapMessage response) {
    if (response.type() != OpType.SEARCH_RESULT_ENTRY) {
      return null;
    }
    try {
      SearchEntry entry = SearchEntry.parse(response.copyOp());
      return RangeMerge.isIncomplete(entry) ? entry : null;
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  /** Reserves buffer from the client's budget, or else from the stage's budget for large groups. */
  boolean reserve(int count) {
    if (reservation.reserve(count)) {
      return true;
    }
    boolean reserved = stage.reserve(count);
    stageReserved += reserved ? count : 0;
    return reserved;
  }

  private void releaseReserved() {
    reservation.release();
    stage.giveBack(stageReserved);
    stageReserved = 0;
  }

  private void passHeld() {
    List<LdapMessage> waiting = List.copyOf(messages);
    messages.clear();
    releaseReserved();
    waiting.forEach(next::respond);
  }

  @Override
  public void complete(Response response) {
    if (response instanceof LdapMessage message && !messages.isEmpty()) {
      result = message;
      operation.setCancellation(this);
      mergeNext();
    } else {
      passHeld();
      next.complete(response);
    }
  }

  /** Completes the next incomplete entry; passes the result on when there is none. */
  private void mergeNext() {
    if (merging) {
      return; // the entry was completed synchronously; the loop below continues
    }
    merging = true;
    int previous = -1;
    while (merged != previous && merged < messages.size()) {
      previous = merged;
      mergeOne(entryWithRange(messages.get(merged)));
    }
    merging = false;
    if (merged == messages.size() && result != null) {
      finish();
    }
  }

  private void mergeOne(@Nullable SearchEntry entry) {
    if (entry == null) {
      merged++;
    } else {
      merge = new RangeMerge(stage, this, operation, entry);
      merge.begin();
    }
  }

  /** Called when an entry is complete. Null means that it is passed on as received. */
  void onMerged(byte @Nullable [] whole) {
    merge = null;
    if (messages.isEmpty()) {
      return; // the client has disconnected or abandoned the search
    }
    if (whole == null) {
      next.doNotStore();
    } else {
      messages.set(merged, messages.get(merged).withOp(whole));
    }
    merged++;
    mergeNext();
  }

  private void finish() {
    LdapMessage end = result;
    result = null;
    operation.setCancellation(null);
    passHeld();
    if (end != null) {
      next.complete(end);
    }
  }

  @Override
  public void reject(Rejection reason) {
    drop();
    next.reject(reason);
  }

  /** Returns false: further reads are made for this client only. */
  @Override
  public boolean hasOtherWaiters() {
    return false;
  }

  @Override
  public void onAbandoned() {
    drop();
    next.onAbandoned();
  }

  private void drop() {
    messages.forEach(LdapMessage::release);
    messages.clear();
    releaseReserved();
    if (result != null) {
      result.release();
      result = null;
    }
  }

  @Override
  public boolean restart() {
    boolean again = next.restart();
    if (again) {
      drop();
      passing = false;
    }
    return again;
  }

  /** True if the client is slow. While entries are held nothing reaches the client. */
  @Override
  public boolean isCongested() {
    return messages.isEmpty() && next.isCongested();
  }

  @Override
  public boolean isFull() {
    return messages.isEmpty() && next.isFull();
  }

  // Cancellation during a read

  @Override
  public void abandon() {
    RangeMerge present = merge;
    drop();
    if (present != null) {
      present.abandon();
    }
  }

  @Override
  public boolean forward(Operation cancelRequest) {
    return false;
  }
}
