// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.cache.result.CacheStats;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.testing.Await;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Progress;
import io.stoa.testing.Soak;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Nobody reads what is older than promised, a wrong set, or what others may not see, while a 389-ds
 * is written to through Stoa and round it: modifications, deletes, new names of a subtree, members
 * of groups, writes that are given up, entries that the account of the feed does not see. The
 * server freezes, answers slowly or busy, and cannot be reached, or only the account's feed cannot;
 * in the long form, which goes on where it was stopped, it is ended and killed, too. What others
 * may not see is only shown to whom the server itself has shown it; and somebody is found by a
 * former name, or not by the present one, only if the server itself, asked after it was changed,
 * has found him so.
 */
@Tag("soak")
class CoherenceOn389IT {
  private static final int READERS = Soak.scale(3, 8);
  private static final Duration BOUND = Duration.ofSeconds(1);
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(3_500);
  private static final int SHORT_FAULTS = 3;
  private static final long READS = 1_000_000;

  /** How long all goes well before something happens. */
  private static final int QUIET_MILLIS = Soak.scale(200, 5_000);

  /** How long that lasts. */
  private static final int LEAST_MILLIS = Soak.scale(200, 500);

  private static final int MAX_MILLIS = Soak.scale(300, 3_000);

  /** As often one writes through Stoa also while the server holds it up. */
  private static final int WRITTEN = 25;

  /** So long after a fault one waits for answers that rest on the feed. */
  private static final long BACK_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int READS_FOR_A_WRITE = 65;

  /**
   * The long form serves at least one read of so many from memory. Each write through Stoa
   * invalidates all results, since a plugin of 389-ds may have changed other entries.
   */
  private static final int READS_FOR_A_HIT = 20;

  private static final int HEAD_START = 5_000;
  private static final String MEMBER_OF = "cn=MemberOf Plugin,cn=plugins,cn=config";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final Progress progress = Progress.of("CoherenceOn389IT");
  private final Random chance = new Random(progress.seed() + progress.count("runs"));
  private final DisclosureObserver389 directory = new DisclosureObserver389();
  private final NameObserver389 placed = new NameObserver389();
  private final OracleState389 known = new OracleState389(directory, placed);
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong reads = new AtomicLong();
  private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
  private final ReentrantLock through = new ReentrantLock(true);
  private final Map<String, Long> counted = new HashMap<>();

  /** What somebody does until all is over. */
  private interface Work {
    void once(LDAPConnection connection, Random random) throws LDAPException;
  }

  /** Makes a connection. */
  private interface Way {
    LDAPConnection connect() throws LDAPException;
  }

  @Test
  void noReadIsOlderThanItsBound() throws Exception {
    Ds389Config config =
        Ds389WithFeed.config(OracleState389.PEOPLE)
            .set(MEMBER_OF, "memberOfAutoAddOC", "posixAccount");
    try (Faults389 faults = new Faults389(directory.and(placed));
        Ds389WithFeed fed =
            Ds389WithFeed.start(
                config,
                BOUND,
                BOUND,
                one -> one.allow().written().by(faults.before(one.server())))) {
      known.begin(fed);
      fed.awaitLive();
      hold(fed, faults);
      assertThat(wrong).isEmpty();
      Soak.record("CoherenceOn389IT: " + progress);
      assertThat(isEnough(Soak.isLong() ? progress.count("reads") / READS_FOR_A_HIT : 20)).isTrue();
      long vouched = Soak.isLong() ? progress.count("reads") / 20 : 10; // to the end, not at first
      assertThat(progress.count("fills")).isGreaterThan(vouched);
      if (Soak.isLong()) {
        assertThat(progress.count("misplacedByDirectory"))
            .isLessThan(progress.count("reads") / 1_000);
      }
    }
    progress.end();
  }

  private void hold(Ds389WithFeed fed, Faults389 faults) throws InterruptedException {
    Writers389 writers = new Writers389(fed, known);
    count(fed, writers);
    List<Thread> all = threads(fed, writers);
    try {
      if (Soak.isLong()) {
        untilAllIsRead(fed, writers, faults.all());
      } else {
        List<Faults389.Fault> some = new ArrayList<>(faults.passing());
        Collections.shuffle(some, chance);
        forAMoment(fed, writers, some.subList(0, SHORT_FAULTS));
      }
    } finally {
      over.set(true);
      for (Thread thread : all) {
        thread.join();
      }
    }
  }

  private void untilAllIsRead(Ds389WithFeed fed, Writers389 writers, List<Faults389.Fault> faults) {
    while (progress.count("reads") < READS && wrong.isEmpty()) {
      suffer(fed, faults.get((int) (progress.count("faults") % faults.size())));
      count(fed, writers);
      progress.keep();
    }
  }

  /** Until these faults have been there, and enough has been read. */
  private void forAMoment(Ds389WithFeed fed, Writers389 writers, List<Faults389.Fault> faults) {
    long begun = System.nanoTime();
    faults.forEach(fault -> suffer(fed, fault));
    Await.until(
        "the time is over, and something has happened",
        () -> {
          count(fed, writers);
          return !wrong.isEmpty() || (System.nanoTime() - begun > SHORT_NANOS && isEnough(20));
        });
  }

  private void suffer(Ds389WithFeed fed, Faults389.Fault fault) {
    pass(QUIET_MILLIS);
    boolean pausing = fault.holdsUp() && progress.count("faults") % WRITTEN != WRITTEN - 1;
    if (pausing) {
      through.lock();
    }
    try {
      happen(fault);
      awaitBack(fed);
    } finally {
      if (pausing) {
        through.unlock();
      }
    }
    progress.add("faults", 1);
  }

  private void happen(Faults389.Fault fault) {
    fault.begin().run();
    try {
      pass(LEAST_MILLIS + chance.nextInt(MAX_MILLIS - LEAST_MILLIS));
    } finally {
      fault.end().run();
    }
  }

  /** It may be that it is live and nothing rests on it, because of a write that took long. */
  private static void awaitBack(Ds389WithFeed fed) {
    long mended = System.nanoTime();
    Await.until(
        "the feed has come back",
        PATIENCE,
        () ->
            fed.isLive()
                || (System.nanoTime() - mended > BACK_NANOS
                    && fed.report().feed().phase() == Phase.LIVE));
  }

  private void pass(int millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    Await.until("the time is over", () -> System.nanoTime() - end > 0 || !wrong.isEmpty());
  }

  /** Adds what has been done since. */
  private void count(Ds389WithFeed fed, Writers389 writers) {
    CacheStats stats = fed.proxy().cache();
    count("reads", reads.get());
    count("hits", stats.filterHits());
    count("misses", stats.filterMisses());
    count("writes", writers.written());
    count("fills", fed.report().domain().fills());
    count("shownByDirectory", directory.count());
    directory.evidence().forEach(Soak::record);
    count("passedOn", known.passedOn());
    count("misplacedByDirectory", known.misplaced());
    count("millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
  }

  private void count(String what, long now) {
    Long before = counted.put(what, now);
    progress.add(what, before == null ? 0 : now - before);
  }

  /** Else it proves nothing. */
  private boolean isEnough(long leastHits) {
    return progress.count("hits") > leastHits
        && progress.count("writes") > 20
        && progress.count("fills") > 10;
  }

  private List<Thread> threads(Ds389WithFeed fed, Writers389 writers) {
    List<Thread> all = new ArrayList<>();
    all.add(thread("round", fed::newRoot, paced(writers, writers::round)));
    all.add(thread("place", fed::newRoot, paced(writers, writers::move)));
    all.add(thread("groups", fed::newRoot, paced(writers, writers::member)));
    Way way = () -> fed.client(OracleState389.PASSING);
    Work asClient = (link, random) -> writeThrough(writers, link, random);
    all.add(thread("through", way, paced(writers, asClient)));
    for (int i = 0; i < READERS; i++) {
      int number = OracleState389.PASSING + 1 + i;
      Reader389 reader = new Reader389(known, BOUND, number, wrong::add);
      Work work =
          (link, random) -> {
            reader.read(link, random);
            reads.incrementAndGet();
          };
      all.add(thread("user." + number, () -> fed.client(number), work));
    }
    all.forEach(Thread::start);
    return all;
  }

  /** However fast the server writes: else little would come from memory. */
  private Work paced(Writers389 writers, Work work) {
    return (link, random) -> {
      if (writers.written() * READS_FOR_A_WRITE > reads.get() + HEAD_START) {
        LockSupport.parkNanos(RETRY_NANOS);
      } else {
        work.once(link, random);
      }
    };
  }

  /** It waits while its writes would be held up. */
  private void writeThrough(Writers389 writers, LDAPConnection link, Random random)
      throws LDAPException {
    through.lock();
    try {
      writers.through(link, random);
    } finally {
      through.unlock();
    }
  }

  private Thread thread(String name, Way way, Work work) {
    Random random = new Random(progress.seed() + name.hashCode() + progress.count("runs"));
    return new Thread(
        () -> {
          while (!isOver()) {
            try (LDAPConnection link = way.connect()) {
              while (!isOver()) {
                once(link, random, work);
              }
            } catch (LDAPException | AssertionError e) {
              LockSupport.parkNanos(RETRY_NANOS); // the server is away
            } catch (RuntimeException e) {
              wrong.add(name + ": " + e);
            }
          }
        },
        name);
  }

  private boolean isOver() {
    return over.get() || !wrong.isEmpty();
  }

  /** A server that is busy, or away for who asks Stoa, leaves the connection as it is. */
  private static void once(LDAPConnection link, Random random, Work work) throws LDAPException {
    try {
      work.once(link, random);
    } catch (LDAPException e) {
      if (!link.isConnected()) {
        throw e;
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }
}
