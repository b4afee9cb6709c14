// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.ResultStore.Answer;
import io.stoa.cache.result.ResultStore.FilledEntry;
import io.stoa.cache.result.ResultStore.Result;
import io.stoa.coherence.rights.Derivation;
import io.stoa.coherence.rights.DerivedData;
import io.stoa.coherence.tracking.CheckedSearch;
import io.stoa.coherence.tracking.CheckedSearch.Checked;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewListener;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.operation.BufferReservation;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Hold;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the answer to a search until its end, stores it if it is whole and may be stored, and
 * passes it on. What turns out not to be storable (too large, a reference, a control, an entry that
 * is none) streams through from then on. Event-loop confined.
 */
final class FillingSink implements ResponseSink {
  private static final Logger LOG = LoggerFactory.getLogger(FillingSink.class);

  /** Refusals for the lack of a server. */
  private static final Set<Rejection> OUTAGES =
      EnumSet.of(
          Rejection.NO_UPSTREAM,
          Rejection.PRIMARY_DOWN,
          Rejection.UPSTREAM_LOST,
          Rejection.UPSTREAM_TIMEOUT);

  private static final int SUCCESS = 0;
  private static final int NO_SUCH_OBJECT = 32;
  private static final int COMPARE_FALSE = 5;
  private static final int COMPARE_TRUE = 6;

  private final Caches caches;
  private final Fill fill;
  private final Operation operation;
  private ResponseSink next;
  private final ClientSession session;
  private final List<FilledEntry> held = new ArrayList<>(1);
  private final BufferReservation room;
  private final Resort resort;
  private @Nullable CheckedSearch checks;
  private @Nullable ResultMaintainer upkeep;
  private boolean secret;
  private boolean streaming;

  /** Where an answer may be found when there is no server to give one. Event-loop confined. */
  interface Resort {
    /**
     * The answer; null if there is none.
     *
     * @param before what was looked for: the operation may ask for more by now
     */
    @Nullable Answer find(Operation operation, Lookup before);
  }

  FillingSink(Caches caches, Fill fill, Operation operation, Resort resort) {
    this.resort = resort;
    this.operation = operation;
    this.next = operation.sink();
    this.session = operation.session();
    this.room = new BufferReservation(session);
    this.caches = caches;
    this.fill = fill;
  }

  /**
   * The result is to rest on a feed; null if not any more.
   *
   * @param owner keeps it
   */
  void checkedBy(@Nullable CheckedSearch search, @Nullable ViewListener owner) {
    checks = search;
    upkeep = owner instanceof ResultMaintainer own ? own : null;
  }

  @Override
  public void respond(LdapMessage response) {
    if (streaming) {
      next.respond(response);
    } else if (response.type() == OpType.SEARCH_RESULT_ENTRY
        && !response.hasControls()
        && hold(response.opLength(), response)) {
      response.release();
    } else {
      stream();
      next.respond(response);
    }
  }

  @Override
  public void respond(byte[] op) {
    if (streaming || !hold(op)) {
      stream();
      next.respond(op);
    }
  }

  /** Too large to be kept: nothing of the answer will be. */
  @Override
  public void respond(LargeMessage response) {
    stream();
    next.respond(response);
  }

  @Override
  public void complete(LargeMessage response) {
    stream();
    next.complete(response);
  }

  private boolean hold(int length, LdapMessage response) {
    return fits(length) && hold(response.copyOp());
  }

  private boolean fits(int length) {
    return held.size() < caches.config().bypassLimit()
        && room.octets() + length <= caches.config().maxResultBytes();
  }

  private void letGo() {
    held.clear();
    room.letGo();
  }

  /** Holds an entry; false if there is no room, or it is no entry. */
  private boolean hold(byte[] op) {
    if (!fits(op.length) || !room.reserve(op.length)) {
      return false;
    }
    try {
      SearchEntry entry = SearchEntry.parse(op);
      secret |= fill.lookup().generation().cacheability().holdsSecret(entry);
      held.add(new FilledEntry(Octets.of(entry.dn()), op));
      return true;
    } catch (LdapProtocolException e) {
      return false;
    }
  }

  /** Nothing of this answer will be stored: what is held goes on its way. */
  private void stream() {
    if (!streaming) {
      streaming = true;
      fill.futile();
      caches.discarded(fill);
      passHeld();
    }
  }

  private void passHeld() {
    held.forEach(entry -> next.respond(entry.op()));
    letGo();
  }

  @Override
  public void notToBeKept() {
    stream();
  }

  @Override
  public void complete(LdapMessage response) {
    if (!streaming) {
      settleSafely(response);
      passHeld();
    }
    next.complete(response);
  }

  /** Whatever goes wrong while an answer is stored, its client gets it, and nobody waits for it. */
  private void settleSafely(LdapMessage response) {
    try {
      settle(response);
    } catch (RuntimeException e) {
      LOG.error("an answer could not be stored", e);
      caches.discarded(fill);
    }
  }

  /** Stores the answer, if it may be, before anybody gets it. */
  private void settle(LdapMessage response) {
    byte[] done = response.copyOp();
    int code = LdapResult.codeOf(done);
    boolean search = fill.lookup().isSearch();
    if (secret || response.hasControls()) {
      fill.futile();
      caches.discarded(fill);
    } else if (search && (code == SUCCESS || (code == NO_SUCH_OBJECT && held.isEmpty()))) {
      filled(done, code == NO_SUCH_OBJECT);
    } else if (!search && (code == COMPARE_TRUE || code == COMPARE_FALSE)) {
      caches.filled(fill, operation.sources(), done);
    } else {
      fill.futile();
      caches.discarded(fill);
    }
  }

  private void filled(byte[] done, boolean absent) {
    CheckedSearch search = checks;
    if (search == null) {
      caches.filled(fill, operation.sources(), held, new Result(done, null));
      return;
    }
    List<byte[]> names = held.stream().map(entry -> entry.dn().array()).toList();
    Checked checked = search.end(absent, names, operation.sources());
    View view = checked.view();
    Derivation derived = checked.derived();
    if (checked.mayBeKept() && (view != null || !search.isProved())) {
      CachedResult.Watch watch =
          view == null || derived == null ? null : watch(view, derived, checked);
      caches.filled(fill, operation.sources(), held, new Result(done, watch));
    } else {
      fill.futile();
      caches.discarded(fill);
    }
  }

  /** What may change though nothing in it does is not kept up. */
  private CachedResult.Watch watch(View view, Derivation derived, Checked checked) {
    Lookup.Origin origin = Lookup.Origin.of(fill.lookup(), operation.sources());
    return upkeep == null || derived.all() != DerivedData.NONE
        ? new CachedResult.Watch(view, checked.versions(), derived, null)
        : upkeep.begin(view, derived, checked, origin);
  }

  @Override
  public void complete(byte[] op) {
    stream();
    next.complete(op);
  }

  @Override
  public void reject(Rejection reason) {
    boolean may = !streaming && OUTAGES.contains(reason) && !operation.ended();
    drop();
    Answer stale = may ? resort.find(operation, fill.lookup()) : null;
    if (stale == null) {
      next.reject(reason);
    } else {
      stale.send(next);
    }
  }

  @Override
  public void abandoned() {
    drop();
    next.abandoned();
  }

  @Override
  public boolean wanted() {
    return !streaming && fill.wanted();
  }

  /** The client gets nothing any more; the result is stored for those that wait. */
  @Override
  public ResponseSink inherited(Operation heir) {
    ResponseSink client = next;
    next = new Fill.Unheard(heir);
    fill.inherited(() -> session.executor().execute(heir::abandon));
    return client;
  }

  /** There will be no answer: nothing is passed on or stored any more. */
  private void drop() {
    if (!streaming) {
      streaming = true;
      caches.discarded(fill);
      letGo();
    }
  }

  @Override
  public boolean restart() {
    if (streaming || !next.restart()) {
      return false;
    }
    letGo();
    secret = false;
    return true;
  }

  /** What is held does not reach the client yet. */
  @Override
  public boolean congested() {
    return streaming && next.congested();
  }

  @Override
  public boolean full() {
    return streaming && next.full();
  }

  @Override
  public boolean hold(Hold hold) {
    return next.hold(hold);
  }

  @Override
  public void whenReady(Runnable action) {
    next.whenReady(action);
  }
}
