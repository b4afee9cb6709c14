// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.sharing.ClassMember;
import io.stoa.cache.sharing.Projection;
import io.stoa.cache.sharing.VerifiableHit;
import io.stoa.cache.sharing.Verifier;
import io.stoa.coherence.tracking.BracketingRead;
import io.stoa.coherence.tracking.FeedComparison;
import io.stoa.coherence.tracking.FeedCoverage;
import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.operation.BackgroundRequests;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.MalformedRequestException;
import io.stoa.operation.Operation;
import io.stoa.operation.ResponseCollector;
import io.stoa.operation.ResponseCollector.CollectedResponse;
import io.stoa.operation.ResponseCollector.Limit;
import io.stoa.operation.Restriction;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A hit of a sharing class that can be verified: the same request is sent upstream as the same
 * client on the same session.
 *
 * <p>Threading: event-loop confined.
 */
final class HitVerification implements VerifiableHit {
  /**
   * Result codes that say nothing about the client's rights: timeLimitExceeded, busy, unavailable,
   * or none.
   */
  private static final Set<Integer> NO_ANSWER = Set.of(-1, 3, 51, 52);

  /** Maximum number of differing entries that are compared with the feed account: 1,000. */
  private static final int MAX_COMPARED = 1000;

  private final Operation operation;
  private final BackgroundRequests backgroundRequests;

  /** Identity object of the client. Each bind creates a new one, even under the same name. */
  private final ClientIdentity identity;

  private final VerifiedHit verifiedHit;
  private boolean malformed;

  /**
   * Copies the data that is needed after the operation has ended.
   *
   * @param answer the answer that was served
   */
  HitVerification(
      Caches caches,
      Operation operation,
      Lookup lookup,
      CachedAnswer answer,
      BackgroundRequests requests) {
    this(
        new VerifiedHit(
            caches,
            lookup,
            operation.message().copyOp(),
            operation.request().controls(),
            answer.item(),
            answer.comparable(),
            answer.readers(),
            answer.feedOnlyEntries()),
        operation,
        requests);
  }

  private HitVerification(
      VerifiedHit verifiedHit, Operation operation, BackgroundRequests requests) {
    this.verifiedHit = verifiedHit;
    this.operation = operation;
    this.backgroundRequests = requests;
    this.identity = operation.session().identity();
  }

  /**
   * The part that does not depend on the client. Threading: immutable, except for the stored
   * result.
   *
   * @param request the octets of the request, without the messageID
   * @param readers class members as which the entries were read, as far as known, by DN
   * @param feedOnly DNs of the entries that were served in a state known only from the feed
   */
  private record VerifiedHit(
      Caches caches,
      Lookup lookup,
      byte[] request,
      List<Control> controls,
      CachedResult item,
      ComparableAnswer servedAnswer,
      Map<Octets, ClassMember> readers,
      Set<Octets> feedOnly)
      implements Hit {
    /** Counts the answer twice: this hit may be the last reference to the stored result. */
    @Override
    public long octets() {
      return request.length + 2 * servedAnswer.answers().octets();
    }

    /** Compares by identity: each hit is a separate one. */
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  /**
   * Called when a client of a class sends a request, or could be asked. Runs verifications and
   * investigations that are pending for this client.
   *
   * @param requests background requests of the client's event loop
   * @return true if the request must not be answered from memory now: see {@link
   *     Verifier#onClientAvailable}
   */
  static boolean onClientAvailable(
      Caches caches, Operation operation, @Nullable Lookup lookup, BackgroundRequests requests) {
    ClassMember member = lookup == null ? null : lookup.sharingClass().member();
    Verifier verifier = caches.classes().verifier();
    return member != null
        && member.mayBeAsked()
        && verifier.onClientAvailable(
            member, hit -> new HitVerification((VerifiedHit) hit, operation, requests));
  }

  /**
   * True if {@link #onClientAvailable} would keep the next request from the memory. Starts nothing.
   */
  static boolean isDue(Caches caches, Lookup lookup) {
    ClassMember member = lookup.sharingClass().member();
    return member != null && caches.classes().verifier().isDue(member);
  }

  /** Starts an investigation of a stored answer that differs from upstream. */
  static void onMismatch(
      Caches caches, Operation operation, @Nullable Lookup lookup, BackgroundRequests requests) {
    ClassMember member = lookup == null ? null : lookup.sharingClass().reader();
    CachedAnswer answer =
        lookup == null ? null : caches.store().find(lookup, Lookup.SilentLookup.INSTANCE);
    if (lookup != null && answer != null && member != null) {
      HitVerification verification =
          new HitVerification(caches, operation, lookup, answer, requests);
      caches.classes().verifier().onAuditMismatch(member, verification);
    }
  }

  @Override
  public ComparableAnswer servedAnswer() {
    return verifiedHit.servedAnswer();
  }

  @Override
  public Hit hit() {
    return verifiedHit;
  }

  @Override
  public void executeLater(Runnable action) {
    operation.session().executor().execute(action);
  }

  @Override
  public void askUpstream(Consumer<@Nullable ComparableAnswer> receiver) {
    if (canRepeat()) {
      send(repeated(receiver));
    } else {
      receiver.accept(null);
    }
  }

  /**
   * Creates the repeated operation. The verifier's patience bounds its wait, since a client may
   * wait longer.
   */
  private Operation repeated(Consumer<@Nullable ComparableAnswer> receiver) {
    AtomicReference<@Nullable Future<?>> deadline = new AtomicReference<>();
    Consumer<@Nullable ComparableAnswer> inTime =
        answer -> {
          Future<?> timer = deadline.get();
          if (timer != null) {
            timer.cancel(false); // otherwise the timer keeps the answer in memory
          }
          receiver.accept(isSameClient() ? answer : null);
        };
    LdapMessage message =
        LdapMessage.of(operation.messageId(), verifiedHit.request(), verifiedHit.controls());
    Operation again =
        operation.beside(
            message,
            verifiedHit.caches().now(),
            own ->
                new ResponseCollector(
                    own,
                    limit(),
                    answer -> {
                      backgroundRequests.onEnded(own);
                      inTime.accept(comparable(answer));
                    }));
    long timeoutNanos = verifiedHit.caches().classes().verifier().timeout().toNanos();
    ClientSession session = operation.session();
    deadline.set(session.executor().schedule(again::abandon, timeoutNanos, TimeUnit.NANOSECONDS));
    return again;
  }

  private void send(Operation again) {
    try {
      backgroundRequests.send(again);
    } catch (MalformedRequestException e) {
      malformed = true;
      again.abandon();
    }
  }

  @Override
  public boolean isMalformed() {
    return malformed;
  }

  /**
   * Compares with the feed account.
   *
   * <p>The attributes that members see of a changed entry are known only where results are updated
   * in place. A removed or unmatched entry is recognized everywhere.
   */
  @Override
  public void compareWithFeed(ComparableAnswer answer, Consumer<@Nullable Boolean> receiver) {
    List<Octets> names = verifiedHit.servedAnswer().answers().differing(answer.answers());
    FeedCoverage coverage =
        names.isEmpty() ? null : verifiedHit.caches().domains().coverageOf(names.get(0).array());
    CachedResult.TrackedView watch = verifiedHit.item().watch();
    boolean maintained =
        watch != null && watch.maintainer() != null && !verifiedHit.lookup().template().typesOnly();
    boolean gone = names.stream().noneMatch(answer.answers().entries()::containsKey);
    if (coverage == null || watch == null || !(maintained || gone) || names.size() > MAX_COMPARED) {
      receiver.accept(null);
      return;
    }
    FeedComparison comparison =
        new FeedComparison(names, watch.view().query(), entry -> maintained ? shown(entry) : null);
    AtomicReference<@Nullable ResponseContents> between = new AtomicReference<>();
    BracketingRead.readAround(
        coverage,
        names,
        operation.session().executor(),
        done -> askOneServer(between, done),
        seenEntries ->
            receiver.accept(
                comparison.isEqual(
                    seenEntries,
                    between.get(),
                    verifiedHit.servedAnswer().answers(),
                    answer.answers())));
  }

  private Map<Octets, Set<Octets>> shown(SearchEntry whole) {
    Projection projection =
        new Projection(
            verifiedHit.lookup().sharingClass().attributes(),
            verifiedHit.lookup().generation().profile());
    return projection.shows(whole, verifiedHit.lookup().selection());
  }

  private void askOneServer(
      AtomicReference<@Nullable ResponseContents> heard, Consumer<@Nullable Operation> done) {
    if (!canRepeat()) {
      done.accept(null);
      return;
    }
    AtomicReference<@Nullable Operation> repeated = new AtomicReference<>();
    Operation again =
        repeated(
            answer -> {
              heard.set(answer == null ? null : answer.answers());
              done.accept(answer == null ? null : repeated.get());
            });
    repeated.set(again);
    again.requireOneServer();
    send(again);
  }

  private boolean canRepeat() {
    return isSameClient() && operation.session().restriction() != Restriction.EXCLUSIVE;
  }

  /**
   * True if the session has not been rebound. Otherwise the answer says nothing about the verified
   * client.
   */
  private boolean isSameClient() {
    ClientSession session = operation.session();
    return session.isOpen() && session.identity() == identity;
  }

  @Override
  public Set<ClassMember> differingReaders(ComparableAnswer answer) {
    Set<ClassMember> all = new HashSet<>();
    List<Octets> names = verifiedHit.servedAnswer().answers().differing(answer.answers());
    boolean read = names.isEmpty() || !verifiedHit.feedOnly().containsAll(names);
    ClassMember reader = verifiedHit.item().reader();
    if (reader != null && read && !verifiedHit.servedAnswer().hasSameEntries(answer)) {
      all.add(reader);
    }
    for (Octets name : names) {
      ClassMember other =
          verifiedHit.feedOnly().contains(name) ? null : verifiedHit.readers().get(name);
      if (other != null) {
        all.add(other);
      }
    }
    return all;
  }

  @Override
  public boolean isFeedOnly(ComparableAnswer answer) {
    return verifiedHit.servedAnswer().answers().differing(answer.answers()).stream()
        .anyMatch(verifiedHit.feedOnly()::contains);
  }

  @Override
  public void dropAnswer() {
    verifiedHit.caches().store().remove(verifiedHit.lookup().key());
  }

  /** Collects one entry more than the bypass limit: such an answer differs from any stored one. */
  private Limit limit() {
    return Limit.firstEntries(verifiedHit.caches().config().bypassLimit() + 1L);
  }

  /** Counts one more entry for an answer with parts that are never stored, so that it differs. */
  private static @Nullable ComparableAnswer comparable(CollectedResponse answer) {
    byte[] done = answer.done();
    if (done == null || NO_ANSWER.contains(answer.code())) {
      return null;
    }
    try {
      ComparableAnswer whole = ComparableAnswer.of(answer.octets(), done);
      return answer.complete() ? whole : whole.withUnstorablePart();
    } catch (LdapProtocolException e) {
      return null;
    }
  }
}
