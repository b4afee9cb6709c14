// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.ResultStore.Answer;
import io.stoa.cache.sharing.BackgroundRequests;
import io.stoa.cache.sharing.ClassMember;
import io.stoa.cache.sharing.Projection;
import io.stoa.cache.sharing.VerifiableHit;
import io.stoa.cache.sharing.Verifier;
import io.stoa.coherence.tracking.BracketingRead;
import io.stoa.coherence.tracking.FeedComparison;
import io.stoa.coherence.tracking.FeedCoverage;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.ldap.filter.Answers;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import java.util.ArrayList;
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
  private static final int MOST_COMPARED = 1000;

  /** Interval in ms at which the stored result is checked for a change. */
  private static final long LOOK_MILLIS = 20;

  private final Operation operation;
  private final BackgroundRequests errands;

  /** Identity object of the client. Each bind creates a new one, even under the same name. */
  private final ClientIdentity identity;

  private final Kept kept;

  /**
   * Copies the data that is needed after the operation has ended.
   *
   * @param answer the answer that was served
   * @throws LdapProtocolException if the request is malformed
   */
  HitVerification(
      Caches caches, Operation operation, Lookup lookup, Answer answer, BackgroundRequests errands)
      throws LdapProtocolException {
    this(
        new Kept(
            caches,
            lookup,
            operation.message().copyOp(),
            operation.request().controls(),
            answer.item(),
            answer.said(),
            answer.readers(),
            answer.told()),
        operation,
        errands);
  }

  private HitVerification(Kept kept, Operation operation, BackgroundRequests errands) {
    this.kept = kept;
    this.operation = operation;
    this.errands = errands;
    this.identity = operation.session().identity();
  }

  /**
   * The part that does not depend on the client. Threading: immutable, except for the stored
   * result.
   *
   * @param request the octets of the request, without the messageID
   * @param readers class members as which the entries were read, as far as known, by DN
   * @param ofFeed DNs of the entries that were served in a state known only from the feed
   */
  private record Kept(
      Caches caches,
      Lookup lookup,
      byte[] request,
      List<Control> controls,
      CachedResult item,
      Said given,
      Map<Octets, ClassMember> readers,
      Set<Octets> ofFeed)
      implements Hit {
    /** Counts the answer twice: this hit may be the last reference to the stored result. */
    @Override
    public long octets() {
      return request.length + 2 * given.answers().octets();
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
   * @param errands background requests of the client's event loop
   * @return true if the request must not be answered from memory now: see {@link Verifier#passing}
   */
  static boolean pass(
      Caches caches, Operation operation, @Nullable Lookup lookup, BackgroundRequests errands) {
    ClassMember member = lookup == null ? null : lookup.accessClass().member();
    Verifier verifier = caches.classes().verifier();
    return member != null
        && member.isSuspected()
        && verifier.passing(member, hit -> new HitVerification((Kept) hit, operation, errands));
  }

  /**
   * Starts an investigation of a stored answer that differs from upstream.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  static void doubt(
      Caches caches, Operation operation, @Nullable Lookup lookup, BackgroundRequests errands)
      throws LdapProtocolException {
    ClassMember member = lookup == null ? null : lookup.accessClass().reader();
    Answer answer = lookup == null ? null : caches.store().find(lookup, Lookup.Quiet.LOOK);
    if (lookup != null && answer != null && member != null) {
      HitVerification evidence = new HitVerification(caches, operation, lookup, answer, errands);
      caches.classes().verifier().doubted(member, evidence);
    }
  }

  @Override
  public Said given() {
    return kept.given();
  }

  @Override
  public Hit hit() {
    return kept;
  }

  @Override
  public void later(Runnable action) {
    operation.session().executor().execute(action);
  }

  @Override
  public void ask(Consumer<@Nullable Said> told) {
    if (mayBeAsked()) {
      send(again(told));
    } else {
      told.accept(null);
    }
  }

  /**
   * Creates the repeated operation. The verifier's patience bounds its wait, since a client may
   * wait longer.
   */
  private Operation again(Consumer<@Nullable Said> told) {
    AtomicReference<@Nullable Future<?>> deadline = new AtomicReference<>();
    Consumer<@Nullable Said> inTime =
        said -> {
          Future<?> passed = deadline.get();
          if (passed != null) {
            passed.cancel(false); // otherwise the timer keeps the answer in memory
          }
          told.accept(isSameClient() ? said : null);
        };
    LdapMessage message = LdapMessage.of(operation.messageId(), kept.request(), kept.controls());
    Operation again =
        operation.derived(
            operation.session(), message, kept.caches().now(), own -> new Heard(own, inTime));
    long patience = kept.caches().classes().verifier().patience().toNanos();
    ClientSession session = operation.session();
    deadline.set(session.executor().schedule(again::abandon, patience, TimeUnit.NANOSECONDS));
    return again;
  }

  private void send(Operation again) {
    try {
      errands.send(again);
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("a request that was planned is malformed", e);
    }
  }

  /**
   * Compares with the feed account.
   *
   * <p>The attributes that members see of a changed entry are known only where results are updated
   * in place. A removed or unmatched entry is recognized everywhere.
   */
  @Override
  public void compareWithFeed(Said told, Consumer<@Nullable Boolean> alike) {
    List<Octets> names = kept.given().answers().differing(told.answers());
    FeedCoverage ground = names.isEmpty() ? null : kept.caches().realms().of(names.get(0).array());
    CachedResult.Watch watch = kept.item().watch();
    boolean known = watch != null && watch.upkeep() != null && !kept.lookup().plan().typesOnly();
    boolean gone = names.stream().noneMatch(told.answers().entries()::containsKey);
    if (ground == null || watch == null || !(known || gone) || names.size() > MOST_COMPARED) {
      alike.accept(null);
      return;
    }
    FeedComparison comparison =
        new FeedComparison(names, watch.view().query(), entry -> known ? shown(entry) : null);
    AtomicReference<@Nullable Answers> between = new AtomicReference<>();
    BracketingRead.around(
        ground,
        names,
        operation.session().executor(),
        done -> askOneServer(between, done),
        sights ->
            alike.accept(
                comparison.alike(sights, between.get(), kept.given().answers(), told.answers())));
  }

  private Map<Octets, Set<Octets>> shown(SearchEntry whole) {
    Projection projection =
        new Projection(
            kept.lookup().accessClass().attributes(), kept.lookup().generation().profile());
    return projection.shows(whole, kept.lookup().selection());
  }

  private void askOneServer(
      AtomicReference<@Nullable Answers> heard, Consumer<@Nullable Operation> done) {
    if (!mayBeAsked()) {
      done.accept(null);
      return;
    }
    AtomicReference<@Nullable Operation> own = new AtomicReference<>();
    Operation again =
        again(
            said -> {
              heard.set(said == null ? null : said.answers());
              done.accept(said == null ? null : own.get());
            });
    own.set(again);
    again.oneServer();
    send(again);
  }

  private boolean mayBeAsked() {
    return isSameClient() && operation.session().restriction() != Restriction.EXCLUSIVE;
  }

  /**
   * True if the session has not been rebound. Otherwise the answer says nothing about the verified
   * client.
   */
  private boolean isSameClient() {
    ClientSession session = operation.session();
    return session.open() && session.identity() == identity;
  }

  @Override
  public void awaitChange(long nanos, Consumer<Boolean> told) {
    awaitChangeUntil(kept.caches().now() + nanos, told);
  }

  private void awaitChangeUntil(long end, Consumer<Boolean> told) {
    CachedResult.Watch watch = kept.item().watch();
    boolean changed = watch != null && isOther(kept.item(), watch);
    if (changed || watch == null || kept.caches().now() - end >= 0) {
      told.accept(changed);
    } else {
      operation
          .session()
          .executor()
          .schedule(() -> awaitChangeUntil(end, told), LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * True if the stored result has changed. A result that was read again with the same content is
   * unchanged. An audit that found it wrong is no change either.
   */
  private boolean isOther(CachedResult item, CachedResult.Watch watch) {
    if (watch.view().isKilledBy(InvalidationCause.INCOHERENT)) {
      return false;
    }
    CachedResult present = kept.caches().store().peek(kept.lookup().key());
    return (present == null || present.watch() == null)
        ? watch.view().isDead()
        : !present.isTheSame(item);
  }

  @Override
  public Set<ClassMember> readAs(Said told) {
    Set<ClassMember> all = new HashSet<>();
    List<Octets> names = kept.given().answers().differing(told.answers());
    boolean read = names.isEmpty() || !kept.ofFeed().containsAll(names);
    ClassMember reader = kept.item().reader();
    if (reader != null && read && !kept.given().hasTheSame(told)) {
      all.add(reader);
    }
    for (Octets name : names) {
      ClassMember other = kept.ofFeed().contains(name) ? null : kept.readers().get(name);
      if (other != null) {
        all.add(other);
      }
    }
    return all;
  }

  @Override
  public boolean isOfFeed(Said told) {
    return kept.given().answers().differing(told.answers()).stream()
        .anyMatch(kept.ofFeed()::contains);
  }

  @Override
  public void forget() {
    kept.caches().store().forget(kept.lookup().key());
  }

  /** Collects the answer to a repeated request. Threading: event-loop confined. */
  private final class Heard extends InternalSink {
    private final Operation again;
    private final Consumer<@Nullable Said> told;
    private final List<byte[]> entries = new ArrayList<>();
    private boolean irregular;

    Heard(Operation again, Consumer<@Nullable Said> told) {
      super(again);
      this.again = again;
      this.told = told;
    }

    @Override
    public void respond(LdapMessage response) {
      if (response.type() == OpType.SEARCH_RESULT_ENTRY) {
        respond(response.copyOp());
      } else {
        irregular |= response.type() == OpType.SEARCH_RESULT_REFERENCE;
      }
      response.release();
    }

    /**
     * Keeps one entry more than the bypass limit, so that a larger answer differs from any stored
     * one.
     */
    @Override
    public void respond(byte[] op) {
      if (entries.size() <= kept.caches().config().bypassLimit()) {
        entries.add(op);
      }
    }

    @Override
    public void respond(LargeMessage response) {
      irregular = true;
    }

    @Override
    public void complete(LdapMessage response) {
      byte[] done = response.copyOp();
      response.release();
      end(done);
    }

    @Override
    public void complete(byte[] op) {
      end(op);
    }

    @Override
    public void complete(LargeMessage response) {
      end(null);
    }

    @Override
    public void reject(Rejection reason) {
      end(null);
    }

    @Override
    public void abandoned() {
      tell(null);
    }

    private void end(byte @Nullable [] done) {
      if (end()) {
        tell(done == null ? null : said(done));
      }
    }

    private void tell(@Nullable Said what) {
      errands.ended(again);
      told.accept(what);
    }

    private @Nullable Said said(byte[] done) {
      try {
        return NO_ANSWER.contains(LdapResult.codeOf(done)) ? null : said(entries, done);
      } catch (LdapProtocolException e) {
        return null;
      }
    }

    /** Counts one more entry for an answer with parts that are never stored, so that it differs. */
    private Said said(List<byte[]> read, byte[] done) throws LdapProtocolException {
      Said said = Said.of(read, done);
      return irregular ? said.withMore() : said;
    }

    @Override
    public boolean restart() {
      entries.clear();
      irregular = false;
      return super.restart();
    }
  }
}
