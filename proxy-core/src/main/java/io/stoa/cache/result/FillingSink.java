// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.Cacheability.EntryCheck;
import io.stoa.cache.result.ResultStore.Result;
import io.stoa.cache.sharing.EqualAnswers;
import io.stoa.coherence.rights.Derivation;
import io.stoa.coherence.rights.DerivedData;
import io.stoa.coherence.tracking.CheckedSearch;
import io.stoa.coherence.tracking.CheckedSearch.Checked;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewListener;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Redaction;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.Response;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchPattern;
import io.stoa.operation.BufferReservation;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Hold;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds back the answer to a fill until its end, stores it if it may be stored, and passes it on.
 * An answer that cannot be stored streams to the client from then on. Reasons are its size, a
 * reference, a control, or a malformed entry.
 *
 * <p>Threading: event-loop confined.
 */
final class FillingSink implements ResponseSink {
  private static final Logger LOG = LoggerFactory.getLogger(FillingSink.class);

  /** Rejections because no server was usable. */
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
  private final List<EncodedResponse> heldEntries = new ArrayList<>(1);
  private final BufferReservation reservation;
  private final LastResort lastResort;
  private @Nullable CheckedSearch checkedSearch;
  private @Nullable ResultMaintainer maintainer;
  private boolean secret;
  private boolean streaming;

  /** True if the answer is not stored because it has too many entries or octets. */
  private boolean tooLarge;

  private int streamedEntries;
  private long streamedOctets;

  /** Source of an answer when no server is usable. Threading: event-loop confined. */
  interface LastResort {
    /**
     * Returns the answer, or null.
     *
     * @param before the lookup of the fill; the operation may have been modified since
     */
    @Nullable CachedAnswer find(Operation operation, Lookup before);
  }

  FillingSink(Caches caches, Fill fill, Operation operation, LastResort lastResort) {
    this.lastResort = lastResort;
    this.operation = operation;
    this.next = operation.sink();
    this.session = operation.session();
    this.reservation = new BufferReservation(session);
    this.caches = caches;
    this.fill = fill;
  }

  /**
   * Sets the tracking by which a feed can hold the result; null if none can.
   *
   * @param owner listener of the view
   */
  void trackWith(@Nullable CheckedSearch search, @Nullable ViewListener owner) {
    checkedSearch = search;
    maintainer = owner instanceof ResultMaintainer maintainer ? maintainer : null;
  }

  @Override
  public void respond(Response response) {
    if (streaming || !tryKeep(response)) {
      stream();
      countStreamed(response);
      next.respond(response);
    }
  }

  /** Runs a count for statistics. An unexpected error must not lose the answer. */
  private static void count(Runnable counter) {
    try {
      counter.run();
    } catch (RuntimeException e) {
      LOG.error("internal error in the statistics of an answer; the client got its answer", e);
    }
  }

  /** Counts an answer that a larger limit would have stored. */
  private void countLarge(LdapMessage response) {
    boolean whole = LdapResult.quickCodeOf(response) == SUCCESS && !response.hasControls();
    if (whole && fill.lookup().isSearch()) {
      boolean held = checkedSearch != null;
      caches.store().countLarge(fill.lookup(), held, streamedEntries, streamedOctets);
    }
  }

  private void countStreamed(Response response) {
    if (tooLarge && response.type() == OpType.SEARCH_RESULT_ENTRY) {
      streamedEntries++;
      streamedOctets += length(response);
    }
  }

  /** Returns the octets of an entry; more than any limit for one that arrives in parts. */
  private static long length(Response response) {
    if (response instanceof EncodedResponse own) {
      return own.op().length;
    }
    return response instanceof LdapMessage message ? message.opLength() : Integer.MAX_VALUE;
  }

  /** Holds an entry without controls. Takes ownership if it succeeds. */
  private boolean tryKeep(Response response) {
    if (response instanceof EncodedResponse own) {
      return tryKeep(own);
    }
    boolean holds =
        response instanceof LdapMessage message
            && message.type() == OpType.SEARCH_RESULT_ENTRY
            && !message.hasControls()
            && fits(message.opLength())
            && tryKeep(new EncodedResponse(message.copyOp()));
    if (holds) {
      response.release();
    }
    return holds;
  }

  /** True if an entry may be held. Remembers that the answer is too large otherwise. */
  private boolean fits(int length) {
    boolean fits =
        heldEntries.size() < caches.config().bypassLimit()
            && reservation.octets() + length <= caches.config().maxResultBytes();
    tooLarge |= !fits;
    return fits;
  }

  private void releaseHeld() {
    heldEntries.clear();
    reservation.release();
  }

  /** Holds an entry; returns false if it exceeds a bound or is malformed. */
  private boolean tryKeep(EncodedResponse own) {
    int length = own.op().length;
    if (!fits(length) || !reservation.reserve(length)) {
      return false;
    }
    EntryCheck check = fill.lookup().generation().cacheability().check(own.op());
    if (check == EntryCheck.MALFORMED) {
      return false;
    }
    secret |= check == EntryCheck.SECRET;
    heldEntries.add(own);
    return true;
  }

  /** Gives up storing. Passes on the held entries and streams the rest. */
  private void stream() {
    if (!streaming) {
      streaming = true;
      fill.markFutile();
      caches.onDiscarded(fill);
      passHeld();
    }
  }

  private void passHeld() {
    streamedEntries += heldEntries.size();
    streamedOctets += reservation.octets();
    for (EncodedResponse entry : heldEntries) {
      next.respond(entry);
    }
    releaseHeld();
  }

  @Override
  public void doNotStore() {
    stream();
  }

  @Override
  public void complete(Response response) {
    if (!streaming && response instanceof LdapMessage message) {
      storeSafely(message);
      passHeld();
    } else {
      stream();
    }
    if (tooLarge && !secret && response instanceof LdapMessage message) {
      count(() -> countLarge(message));
    }
    next.complete(response);
  }

  /** Stores the answer. On an unexpected error the client still gets it, and waiters are woken. */
  private void storeSafely(LdapMessage response) {
    try {
      storeAnswer(response);
    } catch (RuntimeException e) {
      LOG.error("internal error while storing a search result; the client got its answer", e);
      caches.onDiscarded(fill);
    }
  }

  /** Stores the answer, if it may be stored, before any client gets it. */
  private void storeAnswer(LdapMessage response) {
    EncodedResponse done = new EncodedResponse(response.copyOp());
    int code = LdapResult.quickCodeOf(done);
    boolean search = fill.lookup().isSearch();
    if (secret || response.hasControls()) {
      fill.markFutile();
      caches.onDiscarded(fill);
    } else if (search && (code == SUCCESS || (code == NO_SUCH_OBJECT && heldEntries.isEmpty()))) {
      count(() -> compareIdentities(done));
      onFilled(done, code == NO_SUCH_OBJECT);
    } else if (!search && (code == COMPARE_TRUE || code == COMPARE_FALSE)) {
      caches.onFilled(fill, operation.sources(), List.of(), new Result(done, null));
    } else {
      fill.markFutile();
      caches.onDiscarded(fill);
    }
  }

  /** Compares the answer with that to another identity, if the search is in the sample. */
  private void compareIdentities(EncodedResponse done) {
    Lookup lookup = fill.lookup();
    EqualAnswers answers = caches.equalAnswers();
    Octets identity = session.identity().name();
    if (identity.length() == 0 || lookup.sharingClass().shared()) {
      return;
    }
    int query = lookup.queryHash();
    if (!answers.isCompared(query, identity, heldEntries)) {
      return;
    }
    long content = hash(done.op());
    boolean shown = false;
    for (EncodedResponse entry : heldEntries) {
      content += hash(entry.op()); // some directories return entries in changing order
      shown |= hasAttributes(entry.op());
    }
    SearchPattern pattern = Redaction.pattern((SearchOp) operation.request().op());
    answers.add(
        query,
        pattern,
        new EqualAnswers.Read(
            identity, lookup.epoch(), lookup.now(), lookup.oldestNanos(), content, shown));
  }

  /** True if an entry has attributes. A list without any is its last two octets. */
  private static boolean hasAttributes(byte[] entry) {
    return entry[entry.length - 2] != BerReader.SEQUENCE || entry[entry.length - 1] != 0;
  }

  /** Returns a hash of 64 bits. */
  private static long hash(byte[] octets) {
    CRC32C crc = new CRC32C();
    crc.update(octets);
    return (crc.getValue() << Integer.SIZE) + Octets.hash(octets);
  }

  private void onFilled(EncodedResponse done, boolean absent) {
    CheckedSearch search = checkedSearch;
    if (search == null) {
      caches.onFilled(fill, operation.sources(), heldEntries, new Result(done, null));
      return;
    }
    List<byte[]> names = heldEntries.stream().map(entry -> SearchEntry.dn(entry.op())).toList();
    Checked checked = search.validate(absent, names, operation.sources());
    View view = checked.view();
    Derivation derivation = checked.derived();
    if (checked.mayBeKept() && (view != null || !search.needsProof())) {
      CachedResult.TrackedView watch =
          view == null || derivation == null ? null : watch(view, derivation, checked);
      caches.onFilled(fill, operation.sources(), heldEntries, new Result(done, watch));
    } else {
      fill.markFutile();
      caches.onDiscarded(fill);
    }
  }

  /** Returns the watch of the result. A result with derived data is not updated in place. */
  private CachedResult.TrackedView watch(View view, Derivation derivation, Checked checked) {
    Lookup.Origin origin = Lookup.Origin.of(fill.lookup(), operation.sources());
    return maintainer == null || derivation.all() != DerivedData.NONE
        ? new CachedResult.TrackedView(view, checked.versions(), derivation, null)
        : maintainer.begin(view, derivation, checked, origin);
  }

  @Override
  public void reject(Rejection reason) {
    boolean mayServeStale = !streaming && OUTAGES.contains(reason) && !operation.hasEnded();
    drop();
    CachedAnswer stale = mayServeStale ? lastResort.find(operation, fill.lookup()) : null;
    if (stale == null) {
      next.reject(reason);
    } else {
      stale.send(next);
    }
  }

  @Override
  public void onAbandoned() {
    drop();
    next.onAbandoned();
  }

  @Override
  public boolean hasOtherWaiters() {
    return !streaming && fill.hasWaiters();
  }

  /** Detaches the client that has left. The result is still stored for waiting operations. */
  @Override
  public ResponseSink inherited(Operation successor) {
    ResponseSink client = next;
    next = new Fill.DetachedSink(successor);
    fill.onClientGone(() -> session.executor().execute(successor::abandon));
    return client;
  }

  /** Ends the fill without an answer: nothing more is passed on or stored. */
  private void drop() {
    if (!streaming) {
      streaming = true;
      caches.onDiscarded(fill);
      releaseHeld();
    }
  }

  @Override
  public boolean restart() {
    if (streaming || !next.restart()) {
      return false;
    }
    releaseHeld();
    secret = false;
    return true;
  }

  /** True only while streaming: a held answer does not reach the client yet. */
  @Override
  public boolean isCongested() {
    return streaming && next.isCongested();
  }

  @Override
  public boolean isFull() {
    return streaming && next.isFull();
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
