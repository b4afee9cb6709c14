// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.View;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.event.PrivilegedReader.ReadFailure;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.Samples;
import io.stoa.operation.ReadSource;
import io.stoa.testing.SmallDirectory;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A realm whose feed is a test, on a thread of its own, whose processor time is measured. Not
 * thread-safe.
 */
final class MeasuredDomain implements AutoCloseable {
  static final String CONTEXT = SmallDirectory.CONTEXT;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Object HOME = new Object();

  private final EventExecutor own =
      new DefaultEventExecutor(new DefaultThreadFactory("measured-realm", true));
  private final CoherenceDomain domain;
  private int changes = 1;

  MeasuredDomain() {
    DomainConfig config =
        new DomainConfig(
            CONTEXT,
            dn -> NormalDn.of(dn, Samples.SLAPD_PROFILE),
            type -> false,
            Duration.ZERO, // all that is read here is what the feed began with
            DomainConfig.RING,
            0,
            () -> false,
            FeedKind.SYNCREPL,
            now -> now);
    PrivilegedReader nobody =
        (search, found, failed) ->
            failed.accept(ReadFailure.withoutResult("nothing is proved here"));
    DomainContext context =
        new DomainContext(
            own,
            System::nanoTime,
            new FreshnessGuarantee(now -> true, null, null),
            position -> {},
            nobody);
    domain = new CoherenceDomain(config, context, change -> {});
    domain.setFeedServer(HOME);
    domain.feed().onLive(position());
    own.submit(() -> {}).syncUninterruptibly();
  }

  private Position position() {
    return SmallDirectory.upTo(changes);
  }

  CoherenceDomain realm() {
    return domain;
  }

  /** A cached answer to a search of the whole directory, which shows these entries. */
  View cached(String filter, ReadResult.Shown... shown) {
    ReadStart readStart =
        domain.beginRead(Samples.query(CONTEXT, 2, filter), octets(CONTEXT), (view, cause) -> {});
    ReadResult result = new ReadResult(false, List.of(shown));
    View view = domain.admit(readStart, result, new ReadSource(HOME, position(), 0, 0)).view();
    if (view == null) {
      throw new AssertionError("not kept: " + filter);
    }
    return view;
  }

  /** An entry as it is after the last change. */
  ReadResult.Shown shown(Uuid uuid, String dn) {
    NormalDn name = NormalDn.of(octets(dn), Samples.SLAPD_PROFILE);
    return new ReadResult.Shown(uuid, SmallDirectory.csn(changes), name, octets(dn));
  }

  /**
   * Has the feed tell of a change, and waits until it is applied.
   *
   * @return nanoseconds of the realm's thread
   */
  long modified(Uuid uuid, Image image) {
    changes++;
    Receipt receipt =
        new Receipt(SmallDirectory.csn(changes), position(), System.nanoTime(), Reporter.FEED);
    Change change = new Modified(uuid, image.dn(), image, receipt);
    CompletableFuture<Long> before = new CompletableFuture<>();
    CompletableFuture<Long> after = new CompletableFuture<>();
    own.execute(() -> before.complete(THREADS.getCurrentThreadCpuTime()));
    domain.feed().onChange(change);
    own.execute(() -> after.complete(THREADS.getCurrentThreadCpuTime()));
    return after.join() - before.join();
  }

  static byte[] octets(String text) {
    return text.getBytes(UTF_8);
  }

  @Override
  public void close() {
    own.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
