// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.access.Evidence;
import io.stoa.access.Member;
import io.stoa.access.Projection;
import io.stoa.cache.ResultStore.Answer;
import io.stoa.filter.Image;
import io.stoa.filter.Query;
import io.stoa.ldap.Control;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.LdapResult;
import io.stoa.ldap.Octets;
import io.stoa.ldap.OpType;
import io.stoa.match.Answers;
import io.stoa.operation.ClientSession;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.OwnSink;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.operation.Stage;
import io.stoa.view.KillCause;
import io.stoa.watch.FeedWitness;
import io.stoa.watch.FeedWitness.Sight;
import io.stoa.watch.Ground;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A search or compare that was answered from what members of a class share, to be asked again as
 * the same client on the same session. Event-loop confined.
 */
final class Recheck implements Evidence {
  /** Time limit, busy, unavailable: they say nothing of what the client may see. */
  private static final Set<Integer> NO_ANSWER = Set.of(-1, 3, 51, 52);

  private static final int NO_SUCH_OBJECT = 32;

  /** Result codes of searches that have found all there is. */
  private static final Set<Integer> WHOLE = Set.of(0, NO_SUCH_OBJECT);

  /** How often it is looked whether something has changed. */
  private static final long LOOK_MILLIS = 20;

  private final Caches caches;
  private final Operation operation;
  private final Lookup lookup;
  private final Stage next;
  private final Octets identity;
  private final byte[] request;
  private final List<Control> controls;
  private final Item given;
  private final Said said;
  private final Map<Octets, Member> readers;

  /** The entries that were given as a feed had told them. */
  private final Set<Octets> ofFeed;

  /**
   * Keeps what is needed of an operation that is about to end.
   *
   * @param answer what it is given
   * @throws LdapProtocolException if the request is malformed
   */
  Recheck(Caches caches, Operation operation, Lookup lookup, Answer answer, Stage next)
      throws LdapProtocolException {
    this.caches = caches;
    this.operation = operation;
    this.lookup = lookup;
    this.next = next;
    this.identity = operation.session().identity().name();
    this.request = operation.message().copyOp();
    this.controls = operation.request().controls();
    this.given = answer.item();
    this.said = answer.said();
    this.readers = answer.readers();
    this.ofFeed = answer.told();
  }

  private Recheck(Recheck other, Operation operation, Stage next) {
    this.caches = other.caches;
    this.operation = operation;
    this.lookup = other.lookup;
    this.next = next;
    this.identity = operation.session().identity().name();
    this.request = other.request;
    this.controls = other.controls;
    this.given = other.given;
    this.said = other.said;
    this.readers = other.readers;
    this.ofFeed = other.ofFeed;
  }

  /**
   * A client asks for something, or could: it can be asked for what is in doubt of those who share
   * something with it.
   *
   * @param next what is behind the cache on that client's event loop
   */
  static void pass(Caches caches, Operation operation, @Nullable Lookup lookup, Stage next) {
    Member member = lookup == null ? null : lookup.accessClass().member();
    if (member != null && member.isSuspected()) {
      UnaryOperator<Evidence> same = other -> new Recheck((Recheck) other, operation, next);
      caches.classes().verifier().passing(member, same);
    }
  }

  /**
   * What a client shares is not what the directory gives it: that is looked into.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  static void doubt(Caches caches, Operation operation, @Nullable Lookup lookup, Stage next)
      throws LdapProtocolException {
    Member member = lookup == null ? null : lookup.accessClass().reader();
    Answer answer = lookup == null ? null : caches.store().find(lookup, Lookup.Quiet.LOOK);
    if (lookup != null && answer != null && member != null) {
      Recheck evidence = new Recheck(caches, operation, lookup, answer, next);
      caches.classes().verifier().doubted(member, evidence);
    }
  }

  @Override
  public Said given() {
    return said;
  }

  @Override
  public void later(Runnable action) {
    operation.session().executor().execute(action);
  }

  @Override
  public void ask(Consumer<@Nullable Said> told) {
    if (isSameClient()) {
      send(again(told));
    } else {
      told.accept(null);
    }
  }

  /** A server that says nothing is not waited for as long as a client waits. */
  private Operation again(Consumer<@Nullable Said> told) {
    AtomicReference<@Nullable Future<?>> deadline = new AtomicReference<>();
    Consumer<@Nullable Said> inTime =
        said -> {
          Future<?> passed = deadline.get();
          if (passed != null) {
            passed.cancel(false); // or it would keep what was answered until then
          }
          told.accept(said);
        };
    LdapMessage message = LdapMessage.of(operation.messageId(), request, controls);
    Operation again =
        operation.derived(
            operation.session(), message, System.nanoTime(), own -> new Heard(own, inTime));
    long patience = caches.classes().verifier().patience().toNanos();
    ClientSession session = operation.session();
    deadline.set(session.executor().schedule(again::abandon, patience, TimeUnit.NANOSECONDS));
    return again;
  }

  private void send(Operation again) {
    try {
      next.handle(again);
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("a request that was planned is malformed", e);
    }
  }

  @Override
  public void compareWithFeed(Said told, Consumer<@Nullable Boolean> alike) {
    Octets name = nameOfFeed(told);
    Ground ground = name == null ? null : caches.realms().of(name.array());
    Item.Watch watch = given.watch();
    if (name == null || ground == null || watch == null) {
      alike.accept(null);
      return;
    }
    AtomicReference<@Nullable Said> between = new AtomicReference<>();
    FeedWitness.around(
        ground,
        name.array(),
        operation.session().executor(),
        done -> askOneServer(between, done),
        sight -> {
          Boolean same = isAlike(name, watch.view().query(), sight, between.get());
          boolean gone = sight != null && sight.image() == null;
          boolean partly = Boolean.TRUE.equals(same) && !isOnly(told, gone);
          alike.accept(partly ? null : same);
        });
  }

  /**
   * Whether nothing differs but the one entry that is compared: what clears it clears all. Where it
   * is gone, there may be no such object either.
   */
  private boolean isOnly(Said told, boolean gone) {
    Answers own = said.answers();
    int code = told.answers().code();
    return (own.code() == code || (gone && code == NO_SUCH_OBJECT))
        && own.differing(told.answers()).size() == 1;
  }

  private void askOneServer(
      AtomicReference<@Nullable Said> heard, Consumer<@Nullable Operation> done) {
    if (!isSameClient()) {
      done.accept(null);
      return;
    }
    AtomicReference<@Nullable Operation> own = new AtomicReference<>();
    Operation again =
        again(
            said -> {
              heard.set(said);
              done.accept(said == null ? null : own.get());
            });
    own.set(again);
    again.oneServer();
    send(again);
  }

  /**
   * Whether the client is given what members see of an entry; null if that cannot be said, as where
   * its answer is an error or not whole.
   */
  private @Nullable Boolean isAlike(
      Octets name, Query query, @Nullable Sight sight, @Nullable Said client) {
    if (sight == null || client == null || !WHOLE.contains(client.answers().code())) {
      return null;
    }
    Image image = sight.image();
    Map<Octets, Set<Octets>> own = client.answers().entries().get(name);
    if (image == null) {
      return own == null ? Boolean.TRUE : null;
    }
    Projection projection =
        new Projection(lookup.accessClass().attributes(), lookup.generation().profile());
    return switch (query.matches(image)) {
      case TRUE -> projection.shows(image.entry(), lookup.selection()).equals(own);
      case FALSE, UNDEFINED, NO_MATCH -> own == null ? Boolean.TRUE : null;
      case UNKNOWN -> null;
    };
  }

  private boolean isSameClient() {
    ClientSession session = operation.session();
    return session.open()
        && session.restriction() != Restriction.EXCLUSIVE
        && session.identity().name().equals(identity);
  }

  @Override
  public void awaitChange(long nanos, Consumer<Boolean> told) {
    awaitChangeUntil(System.nanoTime() + nanos, told);
  }

  private void awaitChangeUntil(long end, Consumer<Boolean> told) {
    Item.Watch watch = given.watch();
    boolean changed = watch != null && isOther(given, watch);
    if (changed || watch == null || System.nanoTime() - end >= 0) {
      told.accept(changed);
    } else {
      operation
          .session()
          .executor()
          .schedule(() -> awaitChangeUntil(end, told), LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * What was read again, and is the same, is no other. What was found not to be what the directory
   * answers is no change either.
   */
  private boolean isOther(Item item, Item.Watch watch) {
    if (watch.view().isKilledBy(KillCause.INCOHERENT)) {
      return false;
    }
    Item present = caches.store().peek(lookup.key());
    return (present == null || present.watch() == null)
        ? watch.view().isDead()
        : !present.isTheSame(item);
  }

  @Override
  public Set<Member> readAs(Said told) {
    Set<Member> all = new HashSet<>();
    Member reader = given.reader();
    if (reader != null && !said.hasTheSame(told)) {
      all.add(reader);
    }
    for (Octets name : said.answers().differing(told.answers())) {
      Member other = readers.get(name);
      if (other != null) {
        all.add(other);
      }
    }
    return all;
  }

  @Override
  public boolean isOfFeed(Said told) {
    return nameOfFeed(told) != null;
  }

  private @Nullable Octets nameOfFeed(Said told) {
    return said.answers().differing(told.answers()).stream()
        .filter(ofFeed::contains)
        .findFirst()
        .orElse(null);
  }

  @Override
  public void forget() {
    caches.store().forget(lookup.key());
  }

  /** Takes the answer. Event-loop confined. */
  private final class Heard extends OwnSink {
    private final Consumer<@Nullable Said> told;
    private final List<byte[]> entries = new ArrayList<>();
    private boolean irregular;

    Heard(Operation again, Consumer<@Nullable Said> told) {
      super(again);
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

    /** One more than can be remembered is told from what is remembered. */
    @Override
    public void respond(byte[] op) {
      if (entries.size() <= caches.config().bypassLimit()) {
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
      told.accept(null);
    }

    private void end(byte @Nullable [] done) {
      if (end()) {
        told.accept(done == null ? null : said(done));
      }
    }

    private @Nullable Said said(byte[] done) {
      try {
        return NO_ANSWER.contains(LdapResult.codeOf(done)) ? null : said(entries, done);
      } catch (LdapProtocolException e) {
        return null;
      }
    }

    /** What cannot be remembered has another count of entries than what was. */
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
