// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.CachedResult.Watch;
import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.result.Lookup.Look;
import io.stoa.cache.result.Lookup.Quiet;
import io.stoa.cache.result.ResultStore.Answer;
import io.stoa.cache.sharing.BackgroundRequests;
import io.stoa.cache.sharing.ClassMember;
import io.stoa.cache.sharing.SharingClass;
import io.stoa.coherence.invalidation.Refusal;
import io.stoa.coherence.tracking.CheckedSearch;
import io.stoa.coherence.tracking.FeedCoverage;
import io.stoa.coherence.tracking.LinearizableRead;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewListener;
import io.stoa.coherence.view.ViewState;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Restriction;
import io.stoa.operation.Stage;
import io.stoa.replication.SessionGuarantees;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers searches and compares from memory where it may; lets equal ones share one upstream search
 * where it cannot; passes on everything else. Event-loop confined.
 */
public final class CacheStage implements Stage {
  /** How often an operation waits for a search of others that then has no answer at all. */
  private static final int MOST_WAITS = 4;

  private final Caches caches;
  private final SessionGuarantees consistency;
  private final Stage next;
  private final BackgroundRequests errands;
  private final FillingSink.Resort resort = this::lastResort;

  /**
   * Makes the link before {@code next}.
   *
   * @param consistency says what a session must be shown
   */
  public CacheStage(Caches caches, SessionGuarantees consistency, Stage next) {
    this.caches = caches;
    this.consistency = consistency;
    this.next = next;
    this.errands = new BackgroundRequests(next);
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    boolean search = operation.type() == OpType.SEARCH_REQUEST;
    boolean readable = search || operation.type() == OpType.COMPARE_REQUEST;
    Lookup lookup = readable ? lookup(operation) : null;
    if (lookup != null) {
      look(operation, lookup);
    } else {
      next.handle(operation);
      if (search) {
        caches.counters().bypassed.increment(); // if it was not refused as malformed
      }
    }
  }

  /**
   * Whether the result of a search may be kept and served again.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  public boolean mayKeep(Operation search) throws LdapProtocolException {
    return lookup(search) != null;
  }

  /**
   * Answers a search from memory; else does nothing, and counts nothing, and returns false.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  public boolean answer(Operation search) throws LdapProtocolException {
    Lookup lookup = lookup(search);
    Answer answer = lookup == null ? null : find(search, lookup);
    if (answer != null) {
      caches.counters().looked(true, true);
      answer.send(search.sink());
    }
    return answer != null;
  }

  /**
   * Tells whether a search would be answered from memory, and why. Nothing is counted or noted.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  public Explanation explain(Operation search) throws LdapProtocolException {
    Explanation look = new Explanation();
    Lookup lookup = lookup(search, look);
    Answer answer = lookup == null ? null : find(search, lookup, look);
    return look.end(lookup != null, answer != null);
  }

  /**
   * Asks the directory for what nobody waits for, and stores what it answers. Nothing is counted as
   * if a client had asked.
   *
   * @return false if that is of no use now: then nothing has been done
   * @throws LdapProtocolException if the request is malformed
   */
  public boolean refill(Operation search) throws LdapProtocolException {
    Lookup lookup = lookup(search);
    if (lookup == null || !lookup.isSearch()) {
      return false;
    }
    Fill present = caches.fills().find(lookup.key());
    Answer answer = caches.store().find(lookup, Quiet.LOOK);
    if ((present != null && present.serves(lookup)) || (answer != null && !answer.aging())) {
      return false;
    }
    FeedCoverage ground = caches.realms().of(search);
    if (ground != null && ground.realm().isWaiting()) {
      return false;
    }
    fill(search, lookup, ground);
    return true;
  }

  /** Asks the directory, whatever is stored, and stores nothing. */
  public void ask(Operation search) throws LdapProtocolException {
    next.handle(search);
  }

  /**
   * What a client would be given now because a feed vouches for it; null if nothing is. Leaves no
   * trace.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  public @Nullable Remembered remembered(Operation search) throws LdapProtocolException {
    Lookup lookup = lookup(search, Quiet.LOOK);
    Answer answer = lookup == null ? null : caches.store().find(lookup, Quiet.LOOK);
    return answer == null ? null : remembered(answer);
  }

  /**
   * What a client shares with others is not what the directory gives it, and no change is on its
   * way that would explain that: that is looked into.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  public void doubted(Operation search) throws LdapProtocolException {
    HitVerification.doubt(caches, search, lookup(search, Quiet.LOOK), errands);
  }

  /**
   * A client can be asked for what is in doubt of those who share something with it.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  public void comesBy(Operation search) throws LdapProtocolException {
    HitVerification.pass(caches, search, lookup(search, Quiet.LOOK), errands);
  }

  private static @Nullable Remembered remembered(Answer answer) {
    Watch watch = answer.item().watch();
    if (watch == null || watch.view().state() != ViewState.VALID) {
      return null;
    }
    List<byte[]> entries = List.of(answer.entries()).subList(0, answer.count());
    return new Remembered(entries, answer.done(), watch.view(), Arrays.asList(watch.versions()));
  }

  /**
   * What is in memory. Immutable, but for the view.
   *
   * @param done the final response
   * @param view says whether it is right
   * @param versions the states of its entries
   */
  public record Remembered(List<byte[]> entries, byte[] done, View view, List<Csn> versions) {}

  /** Whether an attribute came back that is not stored. */
  public boolean isSecret(byte[] entry) {
    return caches.generation().cacheability().isSecretEntry(entry);
  }

  private void look(Operation operation, Lookup lookup) throws LdapProtocolException {
    boolean stays = HitVerification.pass(caches, operation, lookup, errands);
    Answer answer = stays ? null : find(operation, lookup);
    FreshnessGuarantee.Proof proof = answer == null && !stays ? caches.store().proof(lookup) : null;
    if (proof == null) {
      looked(operation, lookup, answer);
    } else {
      LinearizableRead.await(proof, operation, this::proved);
    }
  }

  /** Whether what is stored may be given has become known, or has not in time. */
  private void proved(Operation operation) throws LdapProtocolException {
    Lookup lookup = lookup(operation);
    if (lookup == null) {
      next.handle(operation);
    } else {
      looked(operation, lookup, find(operation, lookup));
    }
  }

  private void looked(Operation operation, Lookup lookup, @Nullable Answer answer)
      throws LdapProtocolException {
    caches.counters().looked(lookup.isSearch(), answer != null);
    if (answer == null) {
      miss(operation, lookup, MOST_WAITS);
      return;
    }
    answer.send(operation.sink());
    if (answer.aging()) {
      caches.aging(answer.item(), operation.session());
    }
  }

  /** The stored answer, if the session may be shown it: it must obey what a read would. */
  private @Nullable Answer find(Operation operation, Lookup lookup) throws LdapProtocolException {
    return find(operation, lookup, Look.FOR_CLIENT);
  }

  private @Nullable Answer find(Operation operation, Lookup lookup, Look look)
      throws LdapProtocolException {
    Answer young = caches.store().find(lookup, look);
    Answer answer = young == null ? caches.stale(lookup, operation, look) : young;
    if (answer == null) {
      return null;
    }
    if (!consistency.admits(answer.sources(), operation)) {
      look.because(Reason.LAGGING);
      return null;
    }
    if (young == null) {
      look.because(Reason.STALE);
    }
    if (look.forReal()) {
      given(operation, lookup, answer, young == null);
    }
    return answer;
  }

  private void given(Operation operation, Lookup lookup, Answer answer, boolean stale)
      throws LdapProtocolException {
    ClassMember member = lookup.accessClass().reader();
    if (stale) {
      caches.gaveStale();
    } else if (member != null) {
      caches
          .classes()
          .verifier()
          .given(member, () -> new HitVerification(caches, operation, lookup, answer, errands));
    }
    if (consistency.busy()) {
      consistency.seen(operation, operation.request());
    }
  }

  private boolean usable(Operation operation, Look look) {
    ClientSession session = operation.session();
    boolean own = session.restriction() == Restriction.EXCLUSIVE;
    if (own) {
      look.because(Reason.EXCLUSIVE);
    }
    return !own && caches.usable(operation.receivedNanos(), look);
  }

  /**
   * What to look for; null if the request may not be cached. The order is what makes it safe: the
   * epoch is read before the generation is seen to be the present one, and the other way round when
   * they change, so that no key of old rules meets an epoch of new ones.
   */
  private @Nullable Lookup lookup(Operation operation, Look look) throws LdapProtocolException {
    if (!usable(operation, look)) {
      return null;
    }
    CacheGeneration generation = caches.generation();
    if (generation.exclusions().exclude(operation.session())) {
      look.because(Reason.EXCLUDED_IDENTITY);
      return null;
    }
    CacheRequest plan = generation.plan(operation, look);
    long epoch = caches.validity().epoch();
    if (generation != caches.generation()) {
      return lookup(operation, look); // the rules have changed meanwhile
    }
    boolean suspended = caches.validity().suspended(operation.receivedNanos());
    if (!plan.cacheable() || suspended) {
      look.because(suspended ? Reason.SUSPENDED : plan.verdict().reason());
      return null;
    }
    return lookup(operation, look, generation, plan, epoch);
  }

  @Nullable Lookup lookup(
      Operation operation, Look look, CacheGeneration generation, CacheRequest plan, long epoch) {
    long flushes = caches.validity().flushes();
    Octets name = operation.session().identity().name();
    long now = operation.receivedNanos();
    SharingClass known = look.accessClass(caches.classes(), name, plan.covered(), now);
    if (known == null) {
      look.because(Reason.NO_ACL_CACHE);
      return null;
    }
    QueryKey key = new QueryKey(generation.number(), known.partition(), plan.query(), plan.reach());
    long oldest = now - caches.config().maxAge().toNanos();
    return new Lookup(generation, plan, known, key, epoch, oldest, flushes, now);
  }

  private @Nullable Lookup lookup(Operation operation) throws LdapProtocolException {
    return lookup(operation, Look.FOR_CLIENT);
  }

  private void miss(Operation operation, Lookup lookup, int waits) throws LdapProtocolException {
    Fill present = caches.fills().find(lookup.key());
    if (present != null && present.serves(lookup) && join(operation, present, waits)) {
      caches.counters().joined.increment();
      return;
    }
    FeedCoverage ground = caches.realms().of(operation);
    if (ground != null && lookup.isSearch() && ground.realm().isWaiting()) {
      next.handle(operation); // what would be kept of it nobody could vouch for
    } else {
      fill(operation, lookup, ground);
    }
  }

  private void fill(Operation operation, Lookup lookup, @Nullable FeedCoverage ground)
      throws LdapProtocolException {
    Fill fill = new Fill(lookup);
    caches.fills().begin(fill);
    FillingSink sink = new FillingSink(caches, fill, operation, resort);
    operation.sink(sink);
    if (ground != null && !lookup.isSearch()) {
      ground.realm().refused(Refusal.UNTOLD);
    } else if (ground != null) {
      ViewListener owner = ResultMaintainer.of(caches, lookup);
      sink.checkedBy(
          CheckedSearch.begin(ground, operation, owner, again -> plainly(again, sink)), owner);
    }
    next.handle(operation);
  }

  /** The answer is too large to be kept anyway. */
  private void plainly(Operation operation, FillingSink sink) {
    sink.checkedBy(null, null);
    try {
      next.handle(operation);
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("a request that was planned is malformed", e);
    }
  }

  private boolean join(Operation operation, Fill fill, int waits) {
    operation.moveTo(OperationState.WAITING);
    operation.cancellation(new Leaving(fill, operation));
    boolean joined = fill.join(operation, woken -> woken(woken, fill.wasFutile() ? 0 : waits - 1));
    if (!joined) {
      operation.cancellation(null);
    }
    return joined;
  }

  /**
   * The fill that the operation waited for has ended: its result is there, or never will be. A
   * client that does not take its answers is not given more of them.
   */
  private void woken(Operation operation, int waits) {
    if (operation.ended()) {
      return;
    }
    if (operation.sink().congested()) {
      operation.sink().whenReady(() -> woken(operation, waits));
      return;
    }
    operation.cancellation(null);
    try {
      lookAgain(operation, waits);
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("a request that was planned is malformed", e);
    }
  }

  private void lookAgain(Operation operation, int waits) throws LdapProtocolException {
    Lookup lookup = lookup(operation);
    Answer answer = lookup == null ? null : find(operation, lookup);
    if (answer != null) {
      answer.send(operation.sink());
    } else if (lookup != null && waits > 0) {
      miss(operation, lookup, waits);
    } else {
      next.handle(operation);
    }
  }

  /** No server can be used any more: what is too old may do now; null if nothing does. */
  private @Nullable Answer lastResort(Operation operation, Lookup before) {
    CacheGeneration generation = before.generation();
    long epoch = caches.validity().epoch();
    if (generation != caches.generation() || !usable(operation, Look.FOR_CLIENT)) {
      return null;
    }
    try {
      Lookup lookup = lookup(operation, Look.FOR_CLIENT, generation, before.plan(), epoch);
      return lookup == null ? null : find(operation, lookup);
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("a request that was planned is malformed", e);
    }
  }

  /** What waits for a fill just leaves it. */
  private record Leaving(Fill fill, Operation operation) implements Cancellation {
    @Override
    public void abandon() {
      fill.leave(operation);
    }

    @Override
    public boolean forward(Operation cancelRequest) {
      return false;
    }
  }
}
