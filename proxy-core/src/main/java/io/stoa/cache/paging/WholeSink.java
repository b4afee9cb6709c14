// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.BufferReservation;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the result of the search for all pages. What is not to be held ends it: more entries
 * than the bypass limit, more octets than the client may have held, references, controls.
 * Event-loop confined.
 */
final class WholeSink extends InternalSink {
  private static final int ENTRY = OpType.SEARCH_RESULT_ENTRY.tag();

  private final Operation search;
  private final ClientSession session;
  private final int mostEntries;
  private final Outcome outcome;
  private List<byte[]> entries = new ArrayList<>(1);
  private final BufferReservation room;
  private boolean unfit;

  WholeSink(Operation search, int mostEntries, Outcome outcome) {
    super(search);
    this.search = search;
    this.session = search.session();
    this.room = new BufferReservation(session);
    this.mostEntries = mostEntries;
    this.outcome = outcome;
  }

  /** Hears once what became of the search. */
  interface Outcome {
    /** All was collected; the list is the receiver's. */
    void whole(List<byte[]> entries, byte[] done);

    /** The result cannot be collected. */
    void unfit();

    /** Stoa itself refused the search. */
    void rejected(Rejection reason);
  }

  @Override
  public void respond(LdapMessage response) {
    if (unfit || response.hasControls()) {
      giveUp();
    } else {
      respond(response.copyOp());
    }
    response.release();
  }

  @Override
  public void respond(byte[] op) {
    boolean entry = (op[0] & 0xff) == ENTRY && entries.size() < mostEntries;
    if (!unfit && entry && room.reserve(op.length)) {
      entries.add(op);
    } else {
      giveUp();
    }
  }

  /** The search is given up when its sender has done with this response. */
  private void giveUp() {
    if (!unfit) {
      unfit = true;
      letGo();
      session.executor().execute(this::stop);
    }
  }

  private void stop() {
    if (!ended()) {
      search.abandon();
      outcome.unfit();
    }
  }

  private void letGo() {
    entries = new ArrayList<>(1);
    room.letGo();
  }

  @Override
  public void complete(LdapMessage response) {
    byte[] done = response.copyOp();
    unfit |= response.hasControls();
    response.release();
    complete(done);
  }

  @Override
  public void complete(byte[] op) {
    if (!end()) {
      return;
    }
    List<byte[]> all = entries;
    letGo();
    if (unfit) {
      outcome.unfit();
    } else {
      outcome.whole(all, op);
    }
  }

  /** Too large to be held. */
  @Override
  public void respond(LargeMessage response) {
    giveUp();
  }

  @Override
  public void complete(LargeMessage response) {
    giveUp();
  }

  @Override
  public void reject(Rejection reason) {
    if (end()) {
      letGo();
      outcome.rejected(reason);
    }
  }

  @Override
  public void abandoned() {
    letGo();
  }

  @Override
  public boolean restart() {
    letGo();
    return !unfit && super.restart();
  }
}
