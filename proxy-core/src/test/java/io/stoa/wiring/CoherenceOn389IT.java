// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.cache.CacheStats;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.Progress;
import io.stoa.testing.Soak;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Nobody reads what is older than promised, a wrong set, or what others may not see, while a 389-ds
 * is written to through Stoa and round it: modifications, deletes, new names of a subtree, writes
 * that are given up, entries that the account of the feed does not see; in the long form the server
 * is ended and killed now and then.
 */
@Tag("soak")
class CoherenceOn389IT {
  private static final int PEOPLE = 40;
  private static final int CITIES = 6;

  /** These are deleted now and then. */
  private static final int PASSING = 6;

  private static final int READERS = 3;
  private static final Duration BOUND = Duration.ofSeconds(1);
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(3_500);
  private static final long READS = 1_000_000;
  private static final long PART_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final String HIDDEN = "uid=hidden," + FedDs389.HIDDEN;
  private static final String PLACED = "uid=placed,ou=%s," + People.SUFFIX;
  private static final String MEMBER_OF = "cn=MemberOf Plugin,cn=plugins,cn=config";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final Progress progress = Progress.of("CoherenceOn389IT");
  private final Map<String, EntryHistory> people = new TreeMap<>();
  private final EntryHistory place = new EntryHistory("place");
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong writes = new AtomicLong();
  private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();

  /** What somebody does until all is over. */
  private interface Work {
    void once(LDAPConnection connection, Random random) throws LDAPException;
  }

  /** Makes a connection. */
  private interface Way {
    LDAPConnection connect() throws LDAPException;
  }

  CoherenceOn389IT() {
    for (int i = 0; i < PEOPLE; i++) {
      people.put("user." + i, new EntryHistory("0"));
    }
    people.put("hidden", new EntryHistory("0"));
  }

  private static String city(String version) {
    return "City " + Long.parseLong(version) % CITIES;
  }

  private static String dn(String uid) {
    return uid.equals("hidden") ? HIDDEN : "uid=" + uid + "," + People.PEOPLE;
  }

  private static Modification[] state(String version) {
    return new Modification[] {
      new Modification(ModificationType.REPLACE, "st", version),
      new Modification(ModificationType.REPLACE, "l", city(version))
    };
  }

  @Test
  void nobodyReadsWhatIsOlderThanPromised() throws Exception {
    try (FedDs389 fed =
        FedDs389.start(
            FedDs389.config(PEOPLE).set(MEMBER_OF, "memberOfAutoAddOC", "posixAccount"),
            BOUND,
            BOUND,
            one -> one.allow().written())) {
      begin(fed);
      fed.awaitLive();
      long begun = System.nanoTime();
      List<Thread> all = threads(fed);
      CacheStats before = fed.proxy().cache();
      if (Soak.isLong()) {
        untilAllIsRead(fed);
      } else {
        Await.until(
            "the time is over, and something has happened",
            () ->
                !wrong.isEmpty()
                    || (System.nanoTime() - begun > SHORT_NANOS && isEnough(fed, before, 20)));
      }
      over.set(true);
      for (Thread thread : all) {
        thread.join();
      }
      assertThat(wrong).isEmpty();
      report(fed, before, System.nanoTime() - begun);
    }
    progress.end();
  }

  /** Else it proves nothing. */
  private boolean isEnough(FedDs389 fed, CacheStats before, long leastHits) {
    long hits = fed.proxy().cache().filterHits() - before.filterHits();
    return hits > leastHits && writes.get() > 20 && fed.report().realm().fills() > 10;
  }

  private void begin(FedDs389 fed) {
    for (String uid : people.keySet()) {
      fed.modify(dn(uid), state("0"));
      fed.modify(dn(uid), new Modification(ModificationType.REPLACE, "description", dn(uid)));
    }
  }

  private void untilAllIsRead(FedDs389 fed) {
    long counted = 0;
    while (progress.count("reads") < READS && wrong.isEmpty()) {
      long part = System.nanoTime();
      Await.until("a part", () -> System.nanoTime() - part > PART_NANOS || !wrong.isEmpty());
      if (progress.count("ends") % 2 == 0) {
        fed.server().stop();
      } else {
        fed.server().kill();
      }
      fed.server().restart();
      progress.add("ends", 1);
      progress.add("reads", reads.get() - counted);
      counted = reads.get();
      progress.keep();
    }
  }

  private void report(FedDs389 fed, CacheStats before, long nanos) {
    CacheStats after = fed.proxy().cache();
    long hits = after.filterHits() - before.filterHits();
    long misses = after.filterMisses() - before.filterMisses();
    Soak.record(
        "389-ds: %d reads, %d from memory, %d not, %d writes, %d s; %s; kills %s, refusals %s"
            .formatted(
                reads.get(),
                hits,
                misses,
                writes.get(),
                TimeUnit.NANOSECONDS.toSeconds(nanos),
                progress,
                fed.report().realm().kills(),
                fed.report().realm().refusals()));
    assertThat(isEnough(fed, before, Soak.isLong() ? reads.get() / 4 : 20)).isTrue();
  }

  private List<Thread> threads(FedDs389 fed) {
    List<Thread> all = new ArrayList<>();
    all.add(thread("round", fed::newRoot, this::writeRound));
    all.add(thread("place", fed::newRoot, this::move));
    all.add(thread("through", () -> fed.client(PASSING), this::writeThrough));
    for (int i = 0; i < READERS; i++) {
      String own = "user." + (PASSING + 1 + i);
      int number = PASSING + 1 + i;
      all.add(thread(own, () -> fed.client(number), (link, random) -> read(link, random, dn(own))));
    }
    all.forEach(Thread::start);
    return all;
  }

  private Thread thread(String name, Way way, Work work) {
    Random random = new Random(progress.seed() + name.hashCode() + progress.count("runs"));
    return new Thread(
        () -> {
          while (!over.get() && wrong.isEmpty()) {
            try (LDAPConnection link = way.connect()) {
              while (!over.get() && wrong.isEmpty()) {
                work.once(link, random);
              }
            } catch (LDAPException | AssertionError e) {
              Thread.onSpinWait(); // the server is away: once more
            } catch (RuntimeException e) {
              wrong.add(name + ": " + e);
            }
          }
        },
        name);
  }

  // Writers: an entry has one

  private void writeRound(LDAPConnection root, Random random) throws LDAPException {
    int which = random.nextInt(20);
    String uid = which == 0 ? "hidden" : "user." + random.nextInt(PEOPLE);
    if (uid.equals("user." + PASSING)) {
      giveUp(root);
      return;
    }
    EntryHistory history = people.get(uid);
    String next = String.valueOf(1 + Long.parseLong(number(history)));
    boolean passing = random.nextInt(3) == 0 && isPassing(uid);
    pause(random.nextInt(30));
    if (history.last().startsWith("-")) {
      write(history, next, () -> root.add(entry(uid, next)), ResultCode.ENTRY_ALREADY_EXISTS);
    } else if (passing) {
      write(history, "-" + next, () -> root.delete(dn(uid)), ResultCode.NO_SUCH_OBJECT);
    } else {
      write(history, next, () -> root.modify(dn(uid), state(next)), ResultCode.SUCCESS);
    }
  }

  /** Absence is a version, too: written with a minus. */
  private static String number(EntryHistory history) {
    String last = history.last();
    return last.startsWith("-") ? last.substring(1) : last;
  }

  private static boolean isPassing(String uid) {
    return uid.startsWith("user.") && Integer.parseInt(uid.substring(5)) < PASSING;
  }

  private static Entry entry(String uid, String version) {
    Entry entry = FedDs389.person(Integer.parseInt(uid.substring(uid.indexOf('.') + 1)));
    entry.setAttribute("st", version);
    entry.setAttribute("l", city(version));
    entry.setAttribute("description", dn(uid));
    return entry;
  }

  /** Something that may fail without anybody knowing whether it was done. */
  private interface Attempt {
    void run() throws LDAPException;
  }

  private void write(EntryHistory history, String state, Attempt attempt, ResultCode done)
      throws LDAPException {
    int number = history.begin(state);
    try {
      attempt.run();
    } catch (LDAPException e) {
      if (!e.getResultCode().equals(done)) { // else it had been done before, unknown
        throw e;
      }
    }
    history.end(number, false);
    writes.incrementAndGet();
  }

  private static void giveUp(LDAPConnection root) throws LDAPException {
    try {
      root.modify(
          FedDs389.GROUP, new Modification(ModificationType.ADD, "member", FedDs389.HIDDEN));
    } catch (LDAPException e) {
      if (!e.getResultCode().equals(ResultCode.OBJECT_CLASS_VIOLATION)) {
        throw e;
      }
    }
  }

  private void writeThrough(LDAPConnection stoa, Random random) throws LDAPException {
    String uid = "user." + PASSING;
    EntryHistory history = people.get(uid);
    String next = String.valueOf(1 + Long.parseLong(number(history)));
    int number = history.begin(next);
    stoa.modify(dn(uid), state(next));
    history.end(number, true);
    writes.incrementAndGet();
    pause(random.nextInt(20));
  }

  private void move(LDAPConnection root, Random random) throws LDAPException {
    String now = place.last();
    String next = now.equals("place") ? "moved" : "place";
    write(
        place,
        next,
        () -> root.modifyDN("ou=" + now + "," + People.SUFFIX, "ou=" + next, true),
        ResultCode.NO_SUCH_OBJECT);
    pause(50 + random.nextInt(300));
  }

  private static void pause(int millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // Readers

  private void read(LDAPConnection stoa, Random random, String self) throws LDAPException {
    int which = random.nextInt(100);
    if (which < 60) {
      String uid = "user." + random.nextInt(PEOPLE);
      set(stoa, People.PEOPLE, "(uid=" + uid + ")", self, (one, state) -> one.equals(uid));
    } else if (which < 85) {
      String base = which < 80 ? People.PEOPLE : People.SUFFIX;
      String city = "City " + random.nextInt(CITIES);
      set(stoa, base, "(l=" + city + ")", self, (one, state) -> city(state).equals(city));
    } else if (which < 95) {
      String name = random.nextBoolean() ? "place" : "moved";
      place(stoa, name);
    } else {
      set(stoa, HIDDEN, "(uid=*)", self, (one, state) -> one.equals("hidden"));
    }
    reads.incrementAndGet();
  }

  private void place(LDAPConnection stoa, String name) throws LDAPException {
    long asked = System.nanoTime();
    boolean there = !find(stoa, PLACED.formatted(name), "(uid=*)").isEmpty();
    long answered = System.nanoTime();
    if (!place.any(asked, answered, BOUND.toNanos(), state -> name.equals(state) == there)) {
      wrong.add(name + (there ? " is there: " : " is not there: ") + place.tail(asked));
    }
  }

  /** Which entries are in a set. */
  private interface Membership {
    boolean holds(String uid, String state);
  }

  private void set(LDAPConnection stoa, String base, String filter, String self, Membership member)
      throws LDAPException {
    long asked = System.nanoTime();
    Map<String, SearchResultEntry> found = find(stoa, base, filter);
    long answered = System.nanoTime();
    for (Map.Entry<String, EntryHistory> one : people.entrySet()) {
      String uid = one.getKey();
      SearchResultEntry entry = found.remove(uid);
      if (!dn(uid).endsWith(base)) {
        continue;
      }
      if (entry != null) {
        check(uid, entry, self);
      }
      String shown = entry == null ? null : entry.getAttributeValue("st");
      boolean there = entry != null;
      EntryHistory history = one.getValue();
      long bound = BOUND.toNanos();
      boolean explained =
          history.any(asked, answered, bound, state -> isIn(uid, state, member) == there)
              && (!there || history.any(asked, answered, bound, state -> state.equals(shown)));
      if (!explained) {
        wrong.add(
            "%s %s, answered after %d us: %s of %s, but %s"
                .formatted(
                    base, filter, (answered - asked) / 1_000, shown, uid, history.tail(asked)));
      }
    }
    found.keySet().removeIf(uid -> uid.equals("placed"));
    found.keySet().forEach(uid -> wrong.add(filter + " shows " + uid));
  }

  private static boolean isIn(String uid, String state, Membership member) {
    return !state.startsWith("-") && member.holds(uid, state);
  }

  /**
   * What is shown is of one moment, and meant for who asks. That it is shown at all may be of
   * another moment within the bound.
   */
  private void check(String uid, SearchResultEntry entry, String self) {
    String state = entry.getAttributeValue("st");
    if (state == null || !city(state).equals(entry.getAttributeValue("l"))) {
      wrong.add("of no moment: " + entry);
    }
    String secret = entry.getAttributeValue("description");
    if ((secret != null) != dn(uid).equals(self)) {
      wrong.add(self + " is shown " + entry);
    }
  }

  private static Map<String, SearchResultEntry> find(
      LDAPConnection stoa, String base, String filter) throws LDAPException {
    Map<String, SearchResultEntry> found = new TreeMap<>();
    try {
      SearchResult result =
          stoa.search(base, SearchScope.SUB, filter, "uid", "st", "l", "description");
      result.getSearchEntries().forEach(entry -> found.put(entry.getAttributeValue("uid"), entry));
    } catch (LDAPSearchException e) {
      if (!e.getResultCode().equals(ResultCode.NO_SUCH_OBJECT)) {
        throw e;
      }
    }
    return found;
  }
}
