// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.Cacheability.EntryCheck;
import io.stoa.cache.result.CachedResult.TrackedView;
import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.result.Lookup.LookupListener;
import io.stoa.cache.result.Lookup.SilentLookup;
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
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestScanner;
import io.stoa.operation.BackgroundRequests;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Restriction;
import io.stoa.operation.Stage;
import io.stoa.operation.digest.DigestBatch;
import io.stoa.operation.digest.DigestTable;
import io.stoa.operation.digest.SearchDigest;
import io.stoa.replication.SessionGuarantees;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers searches and compares from the caches, and turns misses into fills. Equal misses share
 * one upstream search (single flight, see {@link Fill}). All other operations are forwarded
 * unchanged.
 *
 * <p>Threading: event-loop confined.
 */
public final class CacheStage implements Stage {
  /**
   * Maximum number of fills that an operation joins before it goes upstream: 4. Fills that end
   * without an answer must not delay it for ever.
   */
  private static final int MAX_JOINS = 4;

  private static final int SUCCESS = 0;

  /** Hits for each one whose values are counted: 16. */
  private static final int VALUES_INTERVAL = 16;

  /** Reason of a bypass while the feed of a search is interrupted. */
  private static final String FEED_INTERRUPTED = "feed-interrupted";

  private final Caches caches;
  private final SessionGuarantees guarantees;
  private final Stage next;
  private final BackgroundRequests backgroundRequests;
  private final FillingSink.LastResort lastResort = this::lastResort;
  private final BypassReason bypassReason = new BypassReason();
  private final RequestScanner scanner = new RequestScanner();
  private final DigestBatch hits = new DigestBatch();
  private int sentHits;

  /**
   * Creates the stage before {@code next}.
   *
   * @param guarantees guarantees of each session, which a stored answer must meet
   */
  public CacheStage(Caches caches, SessionGuarantees guarantees, Stage next) {
    this.caches = caches;
    this.guarantees = guarantees;
    this.next = next;
    this.backgroundRequests = new BackgroundRequests(next);
  }

  /** Returns the hits whose durations are not known yet. Client connections complete the batch. */
  public DigestBatch hits() {
    return hits;
  }

  @Override
  public void handle(Operation operation) {
    boolean readable =
        operation.type() == OpType.SEARCH_REQUEST || operation.type() == OpType.COMPARE_REQUEST;
    Lookup lookup = readable ? lookup(operation, bypassReason) : null;
    if (lookup != null) {
      lookUp(operation, lookup);
    } else if (readable) {
      bypass(operation);
    } else {
      next.handle(operation);
    }
  }

  /** True if the result of a search may be stored and served again. */
  public boolean isCacheable(Operation search) {
    return lookup(search) != null;
  }

  /**
   * Answers a search from the cache. On a miss does nothing and counts nothing.
   *
   * @return true if the search was answered
   */
  public boolean answer(Operation search) {
    Lookup lookup = lookup(search);
    CachedAnswer answer = lookup == null ? null : find(search, lookup);
    if (lookup != null && answer != null) {
      caches.store().countHit(lookup, answer);
      search.onHit(false);
      search.setDigest(digest(search, lookup.template()));
      answer.send(search.sink());
    }
    return answer != null;
  }

  /**
   * Explains whether a search would be a hit, and why. Changes neither counters nor the order of
   * eviction.
   */
  public Explanation explain(Operation search) {
    Explanation explanation = new Explanation();
    Lookup lookup = lookup(search, explanation);
    boolean mustGoUpstream = lookup != null && HitVerification.isDue(caches, lookup);
    if (mustGoUpstream) {
      explanation.onReason(Reason.VERIFICATION);
    }
    CachedAnswer answer =
        lookup == null || mustGoUpstream ? null : find(search, lookup, explanation);
    return explanation.finish(lookup != null, answer != null);
  }

  /**
   * Sends a search of the proxy's own upstream and stores its result. Counters of client requests
   * stay unchanged.
   *
   * @return false if a refill is of no use now; then nothing was done
   */
  public boolean refill(Operation search) {
    Lookup lookup = lookup(search);
    if (lookup == null || !lookup.isSearch()) {
      return false;
    }
    Fill openFill = caches.fills().find(lookup);
    CachedAnswer answer = caches.store().find(lookup, SilentLookup.INSTANCE);
    if ((openFill != null && openFill.isJoinableBy(lookup, caches.epoch().flushes()))
        || (answer != null && !answer.isAging())) {
      return false;
    }
    FeedCoverage coverage = caches.domains().coverageOf(search);
    if (coverage != null && coverage.domain().isInterruptedBriefly()) {
      return false;
    }
    fill(search, lookup, coverage);
    return true;
  }

  /** Sends a search upstream without lookup and without storing its result. */
  public void sendUpstream(Operation search) {
    next.handle(search);
  }

  /**
   * Returns the stored answer that a client would get because a feed holds it, or null. Changes
   * neither counters nor the order of eviction.
   */
  public @Nullable HeldAnswer peekHeldByFeed(Operation search) {
    Lookup lookup = lookup(search, SilentLookup.INSTANCE);
    CachedAnswer answer =
        lookup == null ? null : caches.store().find(lookup, SilentLookup.INSTANCE);
    return answer == null ? null : peekHeldByFeed(answer);
  }

  /**
   * Called when a stored answer of a sharing class differs from upstream and no pending change
   * explains it. Starts an investigation of the mismatch.
   */
  public void onMismatch(Operation search) {
    HitVerification.onMismatch(
        caches, search, lookup(search, SilentLookup.INSTANCE), backgroundRequests);
  }

  /**
   * Called when a client can be asked on behalf of its sharing class. Runs verifications and
   * investigations that are pending for this client.
   */
  public void onClientAvailable(Operation search) {
    HitVerification.onClientAvailable(
        caches, search, lookup(search, SilentLookup.INSTANCE), backgroundRequests);
  }

  private static @Nullable HeldAnswer peekHeldByFeed(CachedAnswer answer) {
    TrackedView watch = answer.item().watch();
    if (watch == null || watch.view().state() != ViewState.VALID) {
      return null;
    }
    List<Csn> versions = Arrays.asList(watch.versions());
    return new HeldAnswer(answer.ops(), answer.done().op(), watch.view(), versions);
  }

  /**
   * A stored answer that a feed holds. Threading: immutable, except for the view.
   *
   * @param entries the entries, encoded
   * @param done the final response
   * @param view validity of the answer
   * @param versions state of each entry
   */
  public record HeldAnswer(List<byte[]> entries, byte[] done, View view, List<Csn> versions) {}

  /** True if the entry holds an attribute that is never stored, or cannot be parsed. */
  public boolean isSecret(byte[] entry) {
    return caches.generation().cacheability().check(entry) != EntryCheck.STORABLE;
  }

  private void lookUp(Operation operation, Lookup lookup) {
    boolean mustGoUpstream =
        HitVerification.onClientAvailable(caches, operation, lookup, backgroundRequests);
    CachedAnswer answer = mustGoUpstream ? null : find(operation, lookup);
    if (answer != null) {
      hit(operation, lookup, answer);
    } else {
      proveOrMiss(operation, lookup, mustGoUpstream);
    }
  }

  private void proveOrMiss(Operation operation, Lookup lookup, boolean mustGoUpstream) {
    FreshnessGuarantee.Proof proof = mustGoUpstream ? null : caches.store().proof(lookup);
    if (proof == null) {
      miss(operation, lookup);
    } else {
      operation.checkRequest();
      LinearizableRead.await(proof, operation, this::onProved);
    }
  }

  /** Called when the freshness of the stored result is proved, or when its proof has timed out. */
  private void onProved(Operation operation) {
    Lookup lookup = lookup(operation, bypassReason);
    CachedAnswer answer = lookup == null ? null : find(operation, lookup);
    if (lookup == null) {
      bypass(operation);
    } else if (answer != null) {
      hit(operation, lookup, answer);
    } else {
      miss(operation, lookup);
    }
  }

  private void bypass(Operation operation) {
    operation.onBypass(bypassReason.word());
    boolean search = operation.type() == OpType.SEARCH_REQUEST;
    if (search) {
      RequestTemplate template =
          caches.generation().template(operation, scanner, LookupListener.FOR_CLIENT);
      operation.setDigest(digest(operation, template));
    }
    next.handle(operation);
    if (search) {
      // Last: a search that is refused as malformed ends by an exception, and is not counted
      caches.counters().increment(CacheEvent.BYPASSED);
    }
  }

  private void hit(Operation operation, Lookup lookup, CachedAnswer answer) {
    caches.store().countHit(lookup, answer);
    if (lookup.isSearch() && !operation.isDerived()) {
      sendHit(operation, lookup, answer);
    } else {
      if (lookup.isSearch()) {
        operation.setDigest(digest(operation, lookup.template()));
      }
      answer.send(operation.sink());
    }
    if (answer.isAging()) {
      caches.onExpiringHit(answer.item(), operation.session());
    }
  }

  private void sendHit(Operation search, Lookup lookup, CachedAnswer answer) {
    SearchDigest digest = find(search, lookup.template().digest());
    if (digest.countsEachValue() || ++sentHits % VALUES_INTERVAL == 0) {
      digest.addValues(scanner.valuesHash());
    }
    boolean failed = LdapResult.quickCodeOf(answer.done()) != SUCCESS;
    hits.add(digest, answer.count(), failed, search.receivedNanos());
    hits.addOctets(digest, answer.send(search.sink()));
  }

  private void miss(Operation operation, Lookup lookup) {
    caches.store().countMiss(lookup);
    if (lookup.isSearch()) {
      operation.setDigest(digest(operation, lookup.template()));
    }
    miss(operation, lookup, MAX_JOINS);
  }

  /** Returns the digest of the search that the scanner has just split, and adds its values. */
  private SearchDigest digest(Operation search, RequestTemplate template) {
    SearchDigest digest = find(search, template.digest());
    digest.addValues(scanner.valuesHash());
    return digest;
  }

  private SearchDigest find(Operation search, @Nullable TemplateDigest known) {
    DigestTable table = caches.digests();
    return known == null ? TemplateDigest.ofRequest(search, table) : known.of(search, table);
  }

  /** Returns the stored answer if it meets the guarantees of the session, as a read must. */
  private @Nullable CachedAnswer find(Operation operation, Lookup lookup) {
    return find(operation, lookup, LookupListener.FOR_CLIENT);
  }

  private @Nullable CachedAnswer find(
      Operation operation, Lookup lookup, LookupListener lookupListener) {
    CachedAnswer young = caches.store().find(lookup, lookupListener);
    CachedAnswer answer = young == null ? caches.stale(lookup, operation, lookupListener) : young;
    if (answer == null) {
      return null;
    }
    if (!guarantees.admits(answer.sources(), operation)) {
      lookupListener.onReason(Reason.LAGGING);
      return null;
    }
    if (young == null) {
      lookupListener.onReason(Reason.STALE);
    }
    if (lookupListener.isCounted()) {
      onHit(operation, lookup, answer, young == null);
    }
    return answer;
  }

  private void onHit(Operation operation, Lookup lookup, CachedAnswer answer, boolean stale) {
    ClassMember member = lookup.sharingClass().reader();
    operation.onHit(stale);
    if (stale) {
      caches.onStaleServed();
    } else if (member != null) {
      caches
          .classes()
          .verifier()
          .onHit(
              member,
              () -> new HitVerification(caches, operation, lookup, answer, backgroundRequests));
    }
    if (guarantees.hasUnreplicatedWrites()) {
      guarantees.onAnswer(operation, operation.request());
    }
  }

  private boolean isUsable(Operation operation, LookupListener lookupListener) {
    ClientSession session = operation.session();
    boolean isExclusive = session.restriction() == Restriction.EXCLUSIVE;
    if (isExclusive) {
      lookupListener.onReason(Reason.DEDICATED);
    }
    return !isExclusive && caches.isUsable(operation.receivedNanos(), lookupListener);
  }

  /**
   * Returns the lookup of a request, or null for a bypass.
   *
   * <p>The epoch is read before the generation is compared with the current one. A change of rules
   * sets the generation first and ends the epoch second. So a key of old rules never meets an epoch
   * of new rules.
   */
  private @Nullable Lookup lookup(Operation operation, LookupListener lookupListener) {
    if (!isUsable(operation, lookupListener)) {
      return null;
    }
    CacheGeneration generation = caches.generation();
    if (generation.exclusions().exclude(operation.session())) {
      lookupListener.onReason(Reason.EXCLUDED_IDENTITY);
      return null;
    }
    RequestTemplate template = generation.template(operation, scanner, lookupListener);
    long epoch = caches.epoch().epoch();
    if (generation != caches.generation()) {
      return lookup(operation, lookupListener); // the rules changed meanwhile
    }
    boolean suspended = caches.epoch().isSuspended(operation.receivedNanos());
    if (!template.isCacheable() || suspended) {
      lookupListener.onReason(suspended ? Reason.SUSPENDED : template.verdict().reason());
      return null;
    }
    return lookup(operation, lookupListener, generation, template, epoch);
  }

  @Nullable Lookup lookup(
      Operation operation,
      LookupListener lookupListener,
      CacheGeneration generation,
      RequestTemplate template,
      long epoch) {
    SharingClass sharingClass = sharingClass(operation, lookupListener, template);
    if (sharingClass == null) {
      return null;
    }
    long now = operation.receivedNanos();
    long oldest = now - caches.config().maxAge().toNanos();
    byte[] values = template.values(scanner);
    return new Lookup(generation, template, values, sharingClass, epoch, oldest, now);
  }

  private @Nullable SharingClass sharingClass(
      Operation operation, LookupListener lookupListener, RequestTemplate template) {
    Octets name = operation.session().identity().name();
    SharingClass sharingClass =
        lookupListener.sharingClass(
            caches.classes(), name, template.covered(), operation.receivedNanos());
    if (sharingClass == null) {
      lookupListener.onReason(Reason.NO_ACL_CACHE);
    }
    return sharingClass;
  }

  private @Nullable Lookup lookup(Operation operation) {
    return lookup(operation, LookupListener.FOR_CLIENT);
  }

  private void miss(Operation operation, Lookup lookup, int joinsLeft) {
    Fill openFill = caches.fills().find(lookup);
    if (openFill != null
        && openFill.isJoinableBy(lookup, caches.epoch().flushes())
        && join(operation, openFill, joinsLeft)) {
      caches.counters().increment(CacheEvent.JOINED);
      return;
    }
    FeedCoverage coverage = caches.domains().coverageOf(operation);
    if (coverage != null && lookup.isSearch() && coverage.domain().isInterruptedBriefly()) {
      operation.onBypass(FEED_INTERRUPTED);
      next.handle(operation); // the interrupted feed could not hold the result
    } else {
      fill(operation, lookup, coverage);
    }
  }

  private void fill(Operation operation, Lookup lookup, @Nullable FeedCoverage coverage) {
    byte[] sent = lookup.template().sent(operation.message(), scanner, lookup.values());
    DecodeLimits accepted = lookup.template().accepted();
    if (accepted != null) {
      operation.markPlain(accepted);
    }
    Fill fill = new Fill(lookup, sent, caches.epoch().flushes());
    operation.onMiss();
    caches.fills().begin(fill);
    FillingSink sink = new FillingSink(caches, fill, operation, lastResort);
    operation.setSink(sink);
    if (coverage != null && !lookup.isSearch()) {
      coverage.domain().countRefusal(Refusal.NOT_REPORTED);
    } else if (coverage != null) {
      ViewListener listener = ResultMaintainer.of(caches, fill);
      sink.trackWith(
          CheckedSearch.begin(coverage, operation, listener, again -> sendUntracked(again, sink)),
          listener);
    }
    next.handle(operation);
  }

  /** Called when the answer is too large to be tracked. Sends the search again without tracking. */
  private void sendUntracked(Operation operation, FillingSink sink) {
    sink.trackWith(null, null);
    next.handle(operation);
  }

  private boolean join(Operation operation, Fill fill, int joinsLeft) {
    operation.checkRequest();
    operation.moveTo(OperationState.WAITING);
    operation.onJoin();
    operation.setCancellation(new FillCancellation(fill, operation));
    boolean joined =
        fill.join(operation, woken -> onFillEnded(woken, fill.wasFutile() ? 0 : joinsLeft - 1));
    if (!joined) {
      operation.setCancellation(null);
    }
    return joined;
  }

  /**
   * Called when the fill that the operation joined has ended, with or without a stored result.
   * Waits first until a congested client takes its responses.
   */
  private void onFillEnded(Operation operation, int joinsLeft) {
    if (operation.hasEnded()) {
      return;
    }
    if (operation.sink().isCongested()) {
      operation.sink().whenReady(() -> onFillEnded(operation, joinsLeft));
      return;
    }
    operation.setCancellation(null);
    lookUpAgain(operation, joinsLeft);
  }

  private void lookUpAgain(Operation operation, int joinsLeft) {
    Lookup lookup = lookup(operation);
    CachedAnswer answer = lookup == null ? null : find(operation, lookup);
    if (answer != null) {
      answer.send(operation.sink());
    } else if (lookup != null && joinsLeft > 0) {
      miss(operation, lookup, joinsLeft);
    } else {
      operation.onMiss();
      next.handle(operation);
    }
  }

  /**
   * Called when no server is usable. Returns a stale answer if the configuration allows, or null.
   */
  private @Nullable CachedAnswer lastResort(Operation operation, Lookup before) {
    LookupListener client = LookupListener.FOR_CLIENT;
    long epoch = caches.epoch().epoch();
    if (before.generation() != caches.generation() || !isUsable(operation, client)) {
      return null;
    }
    SharingClass now = sharingClass(operation, client, before.template());
    return now == null ? null : find(operation, before.renewed(now, epoch));
  }

  /**
   * Lookup for a client that remembers why the caches are bypassed.
   *
   * <p>Threading: event loop.
   */
  private static final class BypassReason extends LookupListener {
    private @Nullable Reason reason;

    @Override
    void onReason(Reason newReason) {
      reason = newReason;
    }

    /** Returns the identifier of the last reason. Called for a bypass, which always has one. */
    String word() {
      return reason == null ? "" : reason.word();
    }
  }

  /** Cancellation of an operation that waits for a fill: it only leaves the fill. */
  private record FillCancellation(Fill fill, Operation operation) implements Cancellation {
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
