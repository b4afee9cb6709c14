// SPDX-License-Identifier: Apache-2.0
package io.stoa.bench;

import io.stoa.coherence.invalidation.CoherenceDomain;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.invalidation.DomainConfig;
import io.stoa.coherence.invalidation.ReadResult;
import io.stoa.coherence.invalidation.ReadStart;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.FeedKind;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.operation.ReadSource;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.SmallDirectory;
import java.time.Duration;
import java.util.List;

/**
 * A naming context whose changes a feed reports, with registered views. The server never answers
 * reads of the feed's account, which would show that a transaction is over.
 *
 * <p>Threading: confined to one thread.
 */
final class WatchedDirectory {
  private static final Object SERVER = new Object();
  private static final int SUBTREE = 2;

  /** Time between changes, on the clock of the domain. */
  private static final Duration PACE = Duration.ofMillis(1);

  private static final byte[] BASE = SmallDirectory.octets(SmallDirectory.CONTEXT);

  private final ManualLoop loop = new ManualLoop();
  private final CoherenceDomain domain = domain(loop);
  private final Modified[] changes;
  private int applied;

  /**
   * Registers a view of each entry, and prepares one change of each entry.
   *
   * @param firstChanged number of the first entry that changes; entries without a view follow those
   *     with one
   */
  WatchedDirectory(int entries, int firstChanged) {
    domain.setFeedServer(SERVER);
    domain.feed().onLive(SmallDirectory.upTo(1));
    loop.pass(Duration.ofSeconds(1)); // what is read from now on is newer than the feed's begin
    for (int number = 0; number < entries; number++) {
      register(number);
    }
    changes = new Modified[entries];
    for (int i = 0; i < entries; i++) {
      changes[i] = change(firstChanged + i, i + 2, loop.now() + i * PACE.toNanos());
    }
  }

  private static Modified change(int entry, int number, long arrived) {
    Image image = SmallDirectory.person(name(entry), "x");
    Receipt receipt =
        new Receipt(
            SmallDirectory.csn(number), SmallDirectory.upTo(number), arrived, Reporter.FEED);
    return new Modified(SmallDirectory.uuid(entry), image.dn(), image, receipt);
  }

  private static String name(int entry) {
    return "cn=user." + entry + ",dc=x";
  }

  private static CoherenceDomain domain(ManualLoop loop) {
    DomainConfig config =
        new DomainConfig(
            SmallDirectory.CONTEXT,
            name -> NormalDn.of(name, SmallDirectory.PROFILE),
            type -> false,
            Duration.ZERO,
            DomainConfig.RING,
            0,
            () -> false,
            FeedKind.SYNCREPL,
            now -> now);
    DomainContext context =
        new DomainContext(
            loop.executor(),
            loop::now,
            new FreshnessGuarantee(now -> true, null, null),
            position -> {},
            (search, found, failed) -> {});
    return new CoherenceDomain(config, context, change -> {});
  }

  /** Registers the view of a search that has found an entry. */
  private void register(int entry) {
    Query query = SmallDirectory.query(SmallDirectory.CONTEXT, SUBTREE, "(cn=user." + entry + ")");
    ReadStart start = domain.beginRead(query, BASE, (view, cause) -> {});
    ReadResult.Shown shown =
        new ReadResult.Shown(
            SmallDirectory.uuid(entry),
            SmallDirectory.csn(1),
            SmallDirectory.dn(name(entry)),
            SmallDirectory.octets(name(entry)));
    ReadSource source = new ReadSource(SERVER, SmallDirectory.upTo(1), 0, 0);
    ReadResult result = new ReadResult(false, List.of(shown));
    CoherenceDomain.Admission admission = domain.admit(start, result, source);
    if (admission.view() == null) {
      throw new IllegalStateException("no view of an entry: " + admission.refusal());
    }
  }

  /** Applies the next change, of an entry of its own. */
  void change() {
    loop.pass(PACE);
    domain.feed().onChange(changes[applied]);
    applied++;
    loop.run();
  }

  /** Returns the number of registered views. */
  int views() {
    return domain.status().views();
  }
}
