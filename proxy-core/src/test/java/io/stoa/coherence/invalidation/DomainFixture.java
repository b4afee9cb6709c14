// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.entry;
import static io.stoa.testing.SmallDirectory.octets;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.invalidation.ChangeRing.Bounds;
import io.stoa.coherence.invalidation.CoherenceDomain.Admission;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewState;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.operation.ReadSource;
import io.stoa.testing.SmallDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A realm and its feed, over a directory that is a map. */
abstract class DomainFixture {
  static final String ANN = "cn=ann,ou=p,dc=x";
  static final Object HOME = new Object();
  static final Object REPLICA = new Object();

  final SteppedExecutor own = new SteppedExecutor();
  LongSupplier clock = own::now;
  final Privileged privileged = new Privileged();
  final List<Position> applied = new ArrayList<>();
  final List<InvalidationCause> killed = new ArrayList<>();
  boolean lease = true;
  boolean amends;
  int proofs;

  /** What the feed's identity sees. Thread-confined. */
  static final class Privileged implements PrivilegedReader {
    final Map<String, String[]> byName = new TreeMap<>();
    int searches;
    boolean broken;

    void shows(String name, int entry, int csn) {
      byName.put(name, new String[] {uuid(entry).toString(), csn(csn).text()});
    }

    private static boolean isLater(String state, String filter) {
      String later = "(entryCSN>=";
      int at = filter.indexOf(later) + later.length();
      return at >= later.length()
          && state.compareTo(filter.substring(at, filter.indexOf(')', at))) >= 0;
    }

    @Override
    public void search(
        Search search, Consumer<List<SearchEntry>> found, Consumer<ReadFailure> failed) {
      searches++;
      String base = new String(search.base(), UTF_8);
      String filter = new String(search.filter(), UTF_8);
      List<SearchEntry> entries = new ArrayList<>();
      byName.forEach(
          (name, state) -> {
            boolean asked = filter.contains(state[0]) || isLater(state[1], filter);
            boolean match = search.scope() == 0 ? name.equals(base) : asked;
            if (match) {
              entries.add(entry(name, Map.of("entryUUID", state[0], "entryCSN", state[1])));
            }
          });
      if (broken) {
        failed.accept(ReadFailure.withoutResult("no"));
      } else {
        found.accept(entries);
      }
    }
  }

  CoherenceDomain domain() {
    Bounds ring = new Bounds(Duration.ofMinutes(5), 1_000, Duration.ofMillis(800), 1 << 24);
    DomainConfig config =
        new DomainConfig(
            CONTEXT,
            DomainFixture::name,
            type -> new String(type, UTF_8).equalsIgnoreCase("userPassword"),
            DomainConfig.SETTLE,
            ring,
            proofs,
            () -> false,
            FeedKind.SYNCREPL,
            now -> now);
    FreshnessGuarantee reliance =
        new FreshnessGuarantee(now -> lease, amends ? then -> true : null, null);
    DomainContext context =
        new DomainContext(own, () -> clock.getAsLong(), reliance, applied::add, privileged);
    CoherenceDomain domain = new CoherenceDomain(config, context, change -> {});
    domain.setFeedServer(HOME);
    return domain;
  }

  static NormalDn name(byte[] octets) {
    return NormalDn.of(octets, SmallDirectory.PROFILE);
  }

  CoherenceDomain live() {
    CoherenceDomain domain = domain();
    domain.feed().onLive(upTo(1));
    own.pass(1_000); // what was counted before the feed began has settled
    privileged.shows("dc=x", 100, 1);
    privileged.shows("ou=p,dc=x", 101, 1);
    privileged.shows(ANN, 1, 1);
    return domain;
  }

  @Nullable ReadStart open(CoherenceDomain domain, String base, int scope, String filter) {
    return domain.beginRead(
        query(base, scope, filter), octets(base), (view, cause) -> killed.add(cause));
  }

  static ReadResult showing(int entry, int csn, String name) {
    return new ReadResult(
        false, List.of(new ReadResult.Shown(uuid(entry), csn(csn), dn(name), octets(name))));
  }

  static ReadSource from(Object server, Position had) {
    return new ReadSource(server, had, 0, 0);
  }

  Admission fill(CoherenceDomain domain, int csn) {
    return domain.admit(
        open(domain, ANN, 0, "(objectClass=*)"), showing(1, csn, ANN), from(HOME, Position.NONE));
  }

  View valid(CoherenceDomain domain, int csn) {
    View view = fill(domain, csn).view();
    assertThat(view).isNotNull();
    own.pass(1_000);
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    return view;
  }

  void report(CoherenceDomain domain, Change change) {
    domain.feed().onChange(change);
    own.run();
  }

  static Change own(int csn, String sn) {
    Receipt read = new Receipt(csn(csn), null, 0, Reporter.OWN_WRITE);
    return new Modified(uuid(1), dn(ANN), person(ANN, sn), read);
  }

  @Nullable Refusal refused(CoherenceDomain domain, int csn, ReadSource from) {
    ReadStart readStart = open(domain, ANN, 0, "(objectClass=*)");
    return domain.admit(readStart, showing(1, csn, ANN), from).refusal();
  }
}
