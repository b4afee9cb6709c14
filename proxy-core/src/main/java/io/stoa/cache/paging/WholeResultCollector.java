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
 * Collects the whole result of a paged search. Collection is given up for more entries than the
 * bypass limit, for more octets than the client's buffer may hold, and for references or controls.
 *
 * <p>Threading: event-loop confined.
 */
final class WholeResultCollector extends InternalSink {
  private static final int ENTRY = OpType.SEARCH_RESULT_ENTRY.tag();

  private final Operation search;
  private final ClientSession session;
  private final int mostEntries;
  private final ResultListener outcome;
  private List<byte[]> entries = new ArrayList<>(1);
  private final BufferReservation reservation;
  private boolean unfit;

  WholeResultCollector(Operation search, int mostEntries, ResultListener outcome) {
    super(search);
    this.search = search;
    this.session = search.session();
    this.reservation = new BufferReservation(session);
    this.mostEntries = mostEntries;
    this.outcome = outcome;
  }

  /** Receives the outcome of the search once. */
  interface ResultListener {
    /** Called with the whole result; the receiver owns the list. */
    void onResult(List<byte[]> entries, byte[] done);

    /** Called when the result cannot be collected. */
    void onUncollectable();

    /** Called when Stoa itself refused the search. */
    void onRejected(Rejection reason);
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
    if (!unfit && entry && reservation.reserve(op.length)) {
      entries.add(op);
    } else {
      giveUp();
    }
  }

  /** Gives up, and abandons the search after its sender has finished with this response. */
  private void giveUp() {
    if (!unfit) {
      unfit = true;
      release();
      session.executor().execute(this::stop);
    }
  }

  private void stop() {
    if (!ended()) {
      search.abandon();
      outcome.onUncollectable();
    }
  }

  private void release() {
    entries = new ArrayList<>(1);
    reservation.release();
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
    release();
    if (unfit) {
      outcome.onUncollectable();
    } else {
      outcome.onResult(all, op);
    }
  }

  /** Gives up: the message is too large to be held. */
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
      release();
      outcome.onRejected(reason);
    }
  }

  @Override
  public void abandoned() {
    release();
  }

  @Override
  public boolean restart() {
    release();
    return !unfit && super.restart();
  }
}
