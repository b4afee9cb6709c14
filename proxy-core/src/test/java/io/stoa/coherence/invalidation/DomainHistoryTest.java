// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.deleted;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.entry;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.octets;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.unit;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.invalidation.ChangeRing.Bounds;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.invalidation.ReadResult.Shown;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewState;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.operation.ReadSource;
import io.stoa.testing.SmallDirectory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random histories of a directory that says of its changes what slapd does: a little before they
 * can be read, and of a whole subtree that is renamed nothing but the new name of its top. Whatever
 * is believed to be right when all has been said is what the directory holds.
 */
class DomainHistoryTest {
  private static final int HISTORIES = 150;
  private static final int STEPS = 120;
  private static final int PERSONS = 8;
  private static final int UNITS = 3;
  private static final int FIRST_UNIT = 100;
  private static final int TOP = 1_000;
  private static final Object HOME = new Object();
  private static final Object REPLICA = new Object();

  /** One entry at one time. */
  private record Entry(String dn, String sn, int csn) {}

  /** A question, and what it was answered. */
  private record SearchWithAnswer(
      String base, int scope, @Nullable String sn, Map<Integer, Entry> shown) {}

  /** A directory and a realm over it. Thread-confined. */
  private static final class History implements PrivilegedReader {
    private final SplittableRandom random;
    private final SteppedExecutor own = new SteppedExecutor();
    private final List<TreeMap<Integer, Entry>> states = new ArrayList<>();
    private final List<Long> visible = new ArrayList<>();
    private final Deque<Change> unreported = new ArrayDeque<>();
    private final Map<View, SearchWithAnswer> views = new LinkedHashMap<>();
    private final Deque<Runnable> answers = new ArrayDeque<>();
    private final CoherenceDomain domain;
    private int seen;

    History(long seed) {
      random = new SplittableRandom(seed);
      Bounds ring = new Bounds(Duration.ofSeconds(5), 50, Duration.ofMillis(800), 1 << 24);
      DomainConfig config =
          new DomainConfig(
              CONTEXT,
              History::name,
              type -> false,
              DomainConfig.SETTLE,
              ring,
              0,
              () -> false,
              FeedKind.SYNCREPL,
              now -> now);
      domain =
          new CoherenceDomain(
              config,
              new DomainContext(
                  own, own::now, new FreshnessGuarantee(now -> true, null, null), done -> {}, this),
              change -> {});
      domain.setFeedServer(HOME);
      TreeMap<Integer, Entry> first = new TreeMap<>();
      first.put(TOP, new Entry("dc=x", "", 0));
      for (int i = 0; i < UNITS; i++) {
        first.put(FIRST_UNIT + i, new Entry("ou=" + i + ",dc=x", "", 0));
      }
      for (int i = 0; i < PERSONS; i++) {
        first.put(i, new Entry("cn=" + i + ",ou=" + i % UNITS + ",dc=x", "a", 0));
      }
      states.add(first);
      visible.add(own.now());
      domain.feed().onLive(upTo(0));
      own.run();
    }

    private static NormalDn name(byte[] octets) {
      return NormalDn.of(octets, SmallDirectory.PROFILE);
    }

    private int last() {
      return states.size() - 1;
    }

    /** The state that the home server shows now: notices may come before that. */
    private int shown() {
      int state = last();
      while (visible.get(state) > own.now()) {
        state--;
      }
      return state;
    }

    void step() {
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> change();
        case 3, 4, 5, 6 -> read();
        case 7 -> report();
        case 8 -> answer();
        default -> {
          own.pass(random.nextInt(300));
          if (random.nextInt(4) == 0) {
            cut();
          }
        }
      }
      own.run();
    }

    private void change() {
      TreeMap<Integer, Entry> next = new TreeMap<>(states.get(last()));
      int csn = states.size();
      int id = random.nextInt(PERSONS);
      Entry old = next.get(id);
      int kind = random.nextInt(8);
      if (kind == 0) {
        rename(next, FIRST_UNIT + random.nextInt(UNITS), csn);
      } else if (old == null) {
        String parent = next.get(FIRST_UNIT + random.nextInt(UNITS)).dn();
        put(next, id, new Entry("cn=" + id + "," + parent, sn(), csn));
      } else if (kind == 1) {
        next.remove(id);
        unreported.add(deleted(id, random.nextBoolean() ? null : old.dn(), csn));
      } else if (kind == 2) {
        String parent = next.get(FIRST_UNIT + random.nextInt(UNITS)).dn();
        put(next, id, new Entry("cn=" + id + "," + parent, old.sn(), csn));
      } else {
        put(next, id, new Entry(old.dn(), sn(), csn));
      }
      states.add(next);
      long at = own.now() + Duration.ofMillis(random.nextInt(350)).toNanos();
      visible.add(Math.max(at, visible.get(visible.size() - 1)));
    }

    private String sn() {
      return random.nextBoolean() ? "a" : "b";
    }

    private void put(Map<Integer, Entry> next, int id, Entry entry) {
      next.put(id, entry);
      Change change = modified(id, person(entry.dn(), entry.sn()), entry.csn());
      unreported.add(change);
      if (random.nextInt(3) == 0) {
        own(change);
      }
    }

    private void rename(Map<Integer, Entry> next, int id, int csn) {
      String old = next.get(id).dn();
      String now = "ou=" + random.nextInt(UNITS + 2) + ",dc=x";
      if (next.values().stream().anyMatch(entry -> entry.dn().equals(now))) {
        put(next, 0, new Entry("cn=0,dc=x", sn(), csn));
        return;
      }
      next.replaceAll(
          (any, entry) ->
              entry.dn().endsWith("," + old)
                  ? new Entry(entry.dn().replace("," + old, "," + now), entry.sn(), entry.csn())
                  : entry);
      next.put(id, new Entry(now, "", csn));
      unreported.add(modified(id, unit(now), csn));
    }

    /** The answer of a server that has been written to through Stoa comes at any time. */
    private void own(Change change) {
      Receipt answered = new Receipt(change.csn(), null, own.now(), Reporter.OWN_WRITE);
      Image image = random.nextInt(4) == 0 ? null : change.image();
      Modified written = new Modified(change.uuid(), change.dn(), image, answered);
      answers.add(() -> domain.applyOwnWrite(written, () -> {}));
    }

    /** The feed is cut off, and told afterwards what has changed: in any order, each entry once. */
    private void cut() {
      domain.feed().onLost("cut");
      int until = last();
      Map<Uuid, Change> latest = new LinkedHashMap<>();
      unreported.forEach(change -> latest.put(change.uuid(), change));
      unreported.clear();
      List<Change> told = new ArrayList<>(latest.values());
      while (!told.isEmpty()) {
        domain.feed().onChange(withoutCookie(told.remove(random.nextInt(told.size()))));
        if (random.nextInt(4) == 0) {
          own.pass(random.nextInt(100));
          read();
        }
      }
      domain.feed().onLive(upTo(until));
    }

    private static Change withoutCookie(Change change) {
      Receipt receipt = new Receipt(change.csn(), null, 0, Reporter.FEED);
      return change instanceof Deleted it
          ? new Deleted(it.uuid(), it.dn(), receipt)
          : new Modified(change.uuid(), change.dn(), change.image(), receipt);
    }

    private void report() {
      for (int count = random.nextInt(4); count >= 0 && !unreported.isEmpty(); count--) {
        domain.feed().onChange(unreported.remove());
      }
    }

    private void answer() {
      while (!answers.isEmpty()) {
        answers.remove().run();
      }
    }

    private void read() {
      String unit = "ou=" + random.nextInt(UNITS + 2) + ",dc=x";
      String base =
          switch (random.nextInt(3)) {
            case 0 -> "dc=x";
            case 1 -> unit;
            default -> "cn=" + random.nextInt(PERSONS) + "," + unit;
          };
      int scope = random.nextInt(3);
      String sn = random.nextInt(3) == 0 ? null : sn();
      ReadStart readStart =
          domain.beginRead(
              query(base, scope, sn == null ? "(objectClass=*)" : "(sn=" + sn + ")"),
              octets(base),
              (view, cause) -> {});
      boolean home = random.nextBoolean();
      int state = home ? shown() : Math.max(0, shown() - random.nextInt(6));
      ReadSource from =
          new ReadSource(home ? HOME : REPLICA, home ? Position.NONE : upTo(state), 0, 0);
      Map<Integer, Entry> found = found(state, base, scope, sn);
      SearchWithAnswer asked =
          new SearchWithAnswer(base, scope, sn, found == null ? Map.of() : found);
      answers.add(() -> settle(readStart, found, from, asked));
      if (random.nextBoolean()) {
        answer();
      }
    }

    private void settle(
        ReadStart readStart,
        @Nullable Map<Integer, Entry> found,
        ReadSource from,
        SearchWithAnswer asked) {
      List<Shown> shown = new ArrayList<>();
      if (found != null) {
        found.forEach(
            (id, entry) ->
                shown.add(
                    new Shown(uuid(id), csn(entry.csn()), dn(entry.dn()), octets(entry.dn()))));
      }
      View view = domain.admit(readStart, new ReadResult(found == null, shown), from).view();
      if (view != null) {
        views.put(view, asked);
      }
    }

    /** Null if the base is not there. */
    private @Nullable Map<Integer, Entry> found(
        int state, String base, int scope, @Nullable String sn) {
      Map<Integer, Entry> found = new TreeMap<>();
      boolean there = false;
      for (Map.Entry<Integer, Entry> each : states.get(state).entrySet()) {
        Entry entry = each.getValue();
        there |= entry.dn().equals(base);
        if (isIn(entry.dn(), base, scope) && (sn == null || sn.equals(entry.sn()))) {
          found.put(each.getKey(), entry);
        }
      }
      return there ? found : null;
    }

    private static boolean isIn(String dn, String base, int scope) {
      boolean below = dn.endsWith("," + base);
      String parent = dn.substring(dn.indexOf(',') + 1);
      return switch (scope) {
        case 0 -> dn.equals(base);
        case 1 -> below && parent.equals(base);
        default -> below || dn.equals(base);
      };
    }

    @Override
    public void search(
        Search search, Consumer<List<SearchEntry>> found, Consumer<ReadFailure> failed) {
      String base = new String(search.base(), UTF_8);
      String filter = new String(search.filter(), UTF_8);
      List<SearchEntry> entries = new ArrayList<>();
      states
          .get(shown())
          .forEach(
              (id, entry) -> {
                String uuid = uuid(id).toString();
                if (search.scope() == 0 ? entry.dn().equals(base) : filter.contains(uuid)) {
                  String csn = csn(entry.csn()).text();
                  entries.add(entry(entry.dn(), Map.of("entryUUID", uuid, "entryCSN", csn)));
                }
              });
      found.accept(entries);
    }

    /** All is said and has settled: what is valid must be right. */
    void check(String history) {
      answer();
      unreported.forEach(change -> domain.feed().onChange(change));
      unreported.clear();
      own.pass(2_000);
      views.forEach(
          (view, asked) -> {
            if (view.state() == ViewState.VALID) {
              seen++;
              Map<Integer, Entry> now = found(last(), asked.base(), asked.scope(), asked.sn());
              assertThat(asked.shown())
                  .as("%s: %s", history, asked)
                  .isEqualTo(now == null ? Map.of() : now);
            }
          });
      views.keySet().removeIf(View::isInvalid);
      assertThat(domain.status().views()).isEqualTo(views.size());
    }
  }

  @Test
  void admittedAnswersEqualTheDirectory() {
    int seen = 0;
    for (int seed = 0; seed < HISTORIES; seed++) {
      History history = new History(seed);
      for (int step = 1; step <= STEPS; step++) {
        history.step();
        if (step % 40 == 0) {
          history.check("seed " + seed + ", step " + step);
        }
      }
      seen += history.seen;
    }
    assertThat(seen).isGreaterThan(HISTORIES);
  }
}
