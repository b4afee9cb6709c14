// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A sharing class in virtual time: members that read entries through a cache, a directory whose
 * data and rights change, and the real {@link Verifier}. Single-threaded.
 */
final class ClassSimulation {
  static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  static final long SETTLE = 2 * SECOND;

  /**
   * What is simulated. Immutable.
   *
   * @param members number of members
   * @param perSecond requests a second of all members together
   * @param keys number of entries that are read
   * @param changeNanos time between two changes of an entry; 0 for none
   * @param toggles true if each change of an entry takes the last one back
   * @param feedNanos delay of the feed; 0 if there is none, and results expire by age
   * @param lagNanos lag of the second server, which every other member reads
   * @param deviating number of first members that see less
   * @param fromNanos the time from which they do
   * @param flipNanos time between two changes of rights; 0 for none
   * @param allFlip true if rights change for all members alike
   * @param session requests of a member in a row before it is away; 0 if it never is
   * @param pollNanos time between two requests of each member; 0 if members send at random
   */
  record Setup(
      int members,
      int perSecond,
      int keys,
      long changeNanos,
      boolean toggles,
      long feedNanos,
      long lagNanos,
      int deviating,
      long fromNanos,
      long flipNanos,
      boolean allFlip,
      int session,
      long pollNanos) {}

  /** What came of it. Single-threaded. */
  static final class Outcome {
    long operations;
    long hits;
    long wrong;
    long verified;

    /** Number of mismatches that were explained before the class was demoted. */
    long explained;

    /** Number of operations until the class was demoted; negative if it was not. */
    long demotedAt = -1;
  }

  /** An answer in memory. Immutable. */
  private record Stored(ComparableState state, ClassMember reader, long nanos) {}

  /** A state of an entry, and whether it is shown with fewer rights. Immutable. */
  private record ComparableState(int key, long version, boolean less) {
    VerifiableHit.ComparableAnswer answer() {
      int code = (int) (key * 1_000_000L + version % 400_000 * 2 + (less ? 1 : 0));
      return new VerifiableHit.ComparableAnswer(
          new ResponseContents(code, Map.of(), 0), Octets.EMPTY);
    }
  }

  /** An action at a time. Immutable. */
  private record Later(long nanos, long order, Runnable action) {}

  static final long MAX_AGE = 5 * SECOND;

  private final Setup setup;
  private final Random random;
  private final SharingClassState declared =
      new SharingClassState(
          new Declaration("apps", List.of("cn=a"), List.of(), "dc=x", Attributes.ALL, false),
          () -> Octets.EMPTY);
  private final List<ClassMember> members = new ArrayList<>();
  private final Map<Integer, Stored> shared = new HashMap<>();
  private final Map<ClassMember, Map<Integer, Stored>> own = new HashMap<>();
  private final PriorityQueue<Later> later =
      new PriorityQueue<>(Comparator.comparingLong(Later::nanos).thenComparingLong(Later::order));
  private final long[] phase;
  final Verifier verifier;
  private final Outcome outcome = new Outcome();
  private final int[] left;

  /** Times of the next requests of pollers. */
  private final long[] next;

  private Set<MismatchInvestigation> open = Set.of();
  private long order;
  private long now;

  ClassSimulation(Setup setup, int oneIn, long seed) {
    this.setup = setup;
    this.random = new Random(seed);
    this.verifier =
        new Verifier(oneIn, each -> shared.clear(), n -> random.nextInt(n) == 0, () -> now);
    verifier.setMaxLag(Duration.ofNanos(SETTLE));
    for (int i = 0; i < setup.members(); i++) {
      Octets name = Octets.ofUtf8("cn=" + i);
      members.add(declared.join(name, new CanonicalIdentity(Octets.EMPTY, name)));
    }
    phase = new long[setup.keys()];
    for (int i = 0; i < phase.length; i++) {
      phase[i] = setup.changeNanos() == 0 ? 0 : random.nextLong(setup.changeNanos());
    }
    left = new int[3];
    next = new long[setup.members()];
    for (int i = 0; i < next.length && setup.pollNanos() > 0; i++) {
      next[i] = random.nextLong(setup.pollNanos());
    }
  }

  private long version(int key, long at) {
    if (setup.changeNanos() == 0) {
      return 0;
    }
    long version = (at + phase[key]) / setup.changeNanos();
    return setup.toggles() ? version % 2 : version;
  }

  private long rights(long at) {
    return setup.flipNanos() == 0 ? 0 : at / setup.flipNanos();
  }

  private boolean less(int member, long at) {
    boolean phased = setup.flipNanos() == 0 || rights(at) % 2 == 1;
    return setup.allFlip()
        ? phased
        : member < setup.deviating() && at >= setup.fromNanos() && phased;
  }

  private ComparableState truth(int member, int key) {
    long lag = member % 2 == 1 ? setup.lagNanos() : 0;
    return new ComparableState(key, version(key, Math.max(0, now - lag)), less(member, now));
  }

  long rightsChanges() {
    return rights(now);
  }

  private void at(long nanos, Runnable action) {
    later.add(new Later(nanos, order++, action));
  }

  private void advance(long to) {
    while (!later.isEmpty() && later.peek().nanos() <= to) {
      Later next = later.poll();
      now = next.nanos();
      next.action().run();
    }
    now = to;
  }

  private boolean isFresh(Stored stored) {
    if (stored == null || stored.reader().isSuspended()) {
      return false;
    }
    if (setup.feedNanos() == 0) {
      return now - stored.nanos() < MAX_AGE;
    }
    long told = Math.max(0, now - setup.feedNanos());
    boolean same =
        told < stored.nanos()
            || version(stored.state().key(), told) == version(stored.state().key(), stored.nanos());
    return same && rights(told) <= rights(stored.nanos()) && now - stored.nanos() < 3600 * SECOND;
  }

  /** True if the member could have been given that at some time since it was read. */
  private boolean isRight(int member, Stored stored) {
    long step = SECOND / 10;
    for (long at = stored.nanos(); at < now; at += step) {
      if (less(member, at) == stored.state().less()) {
        return true;
      }
    }
    return less(member, now) == stored.state().less();
  }

  /** A hit, and the member as which it is read again. Single-threaded. */
  private final class Evidence implements VerifiableHit, VerifiableHit.Hit {
    private final int member;
    private final Stored stored;

    Evidence(int member, Stored stored) {
      this.member = member;
      this.stored = stored;
    }

    @Override
    public ComparableAnswer servedAnswer() {
      return stored.state().answer();
    }

    @Override
    public Hit hit() {
      return this;
    }

    @Override
    public void executeLater(Runnable action) {
      at(now, action);
    }

    @Override
    public void askUpstream(Consumer<ComparableAnswer> receiver) {
      outcome.verified++;
      at(now + SECOND / 1000, () -> receiver.accept(truth(member, stored.state().key()).answer()));
    }

    @Override
    public Set<ClassMember> differingReaders(ComparableAnswer told) {
      return Set.of(stored.reader());
    }

    @Override
    public boolean isFeedOnly(ComparableAnswer told) {
      return false;
    }

    @Override
    public void compareWithFeed(ComparableAnswer told, Consumer<Boolean> alike) {
      alike.accept(null);
    }

    @Override
    public void dropAnswer() {
      shared.remove(stored.state().key());
    }
  }

  /** Waits for the next request. Returns its member. */
  private int nextMember() {
    if (setup.pollNanos() > 0) {
      int first = 0;
      for (int i = 1; i < next.length; i++) {
        first = next[i] < next[first] ? i : first;
      }
      advance(next[first]);
      next[first] += setup.pollNanos();
      return first;
    }
    advance(now + (long) (-Math.log(1 - random.nextDouble()) * SECOND / setup.perSecond()));
    if (setup.session() == 0) {
      return random.nextInt(setup.members());
    }
    if (left[0] == 0) {
      left[0] = setup.session();
      left[1] = random.nextInt(setup.members());
      left[2] = random.nextInt(setup.members());
    }
    left[0]--;
    return left[1 + random.nextInt(2)];
  }

  private void request() throws LdapProtocolException {
    int who = nextMember();
    ClassMember member = members.get(who);
    int key = (int) (setup.keys() * Math.pow(random.nextDouble(), 2));
    outcome.operations++;
    boolean stays =
        member.mayBeAsked()
            && verifier.onClientAvailable(
                member, hit -> new Evidence(who, ((Evidence) hit).stored));
    boolean sharing = !declared.isDemoted() && verifier.mayShare(member);
    Map<Integer, Stored> store =
        sharing ? shared : own.computeIfAbsent(member, any -> new TreeMap<>());
    Stored stored = store.get(key);
    if (!stays && isFresh(stored)) {
      outcome.hits++;
      if (sharing) {
        outcome.wrong += isRight(who, stored) ? 0 : 1;
        verifier.onHit(member, () -> new Evidence(who, stored));
      }
    } else if (!member.isSuspended() || !sharing) {
      store.put(key, new Stored(truth(who, key), member, now));
    }
    if (!declared.isDemoted()) {
      outcome.explained +=
          open.stream().filter(one -> !declared.investigations().contains(one)).count();
      open = Set.copyOf(declared.investigations());
    } else if (outcome.demotedAt < 0) {
      outcome.demotedAt = outcome.operations;
    }
  }

  Outcome run(int requests) {
    try {
      for (int turn = 0; turn < requests; turn++) {
        request();
      }
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
    return outcome;
  }
}
