// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.cache.result.CacheStage;
import io.stoa.cache.result.Caches;
import io.stoa.cache.result.Caches.CachedResultRef;
import io.stoa.cache.result.ResultsHeldByFeed;
import io.stoa.coherence.invalidation.DomainConfig;
import io.stoa.coherence.invalidation.RingRecord;
import io.stoa.coherence.tracking.FeedCoverage;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.ClientSession;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Maintains the caches of the proxy: sweep, refresh-ahead, audit and full audit.
 *
 * <p>Threading: thread-safe.
 */
public final class CacheMaintenance implements AutoCloseable {
  private static final long TURN_MILLIS = 100;
  private static final long MIN_SWEEP_MILLIS = 1_000;
  private static final int MAX_AUDITS_AT_ONCE = 64;

  /** Exclusive bound of the random number of results skipped between two audits: 8. */
  private static final int SKIP_BOUND = 8;

  /** Maximum number of stored results examined to find one that a feed holds: 1,000. */
  private static final int MAX_EXAMINED = 1_000;

  /** Time for an applied change to reach an event loop: 250 ms. */
  private static final Duration MARGIN = Duration.ofMillis(250);

  private final Caches caches;
  private final RequestDecoder decoder;
  private final EventExecutor thread;
  private final List<MaintenanceLoop> loops = new CopyOnWriteArrayList<>();
  private final Refresher refresher;
  private final Auditor auditor;
  private final AtomicInteger audits = new AtomicInteger();
  private volatile @Nullable FullAudit fullAudit;
  private @Nullable ResultsHeldByFeed pass;
  private double dueAudits;
  private long fullAudits;

  /**
   * Starts the maintenance on a thread of its own.
   *
   * @param stalenessBound staleness bound of results held by a feed
   */
  public CacheMaintenance(Caches caches, RequestDecoder decoder, Duration stalenessBound) {
    this(
        caches,
        decoder,
        stalenessBound,
        new DefaultEventExecutor(new DefaultThreadFactory("stoa-maintenance", true)));
  }

  /**
   * Starts the maintenance on the given thread.
   *
   * @param stalenessBound staleness bound of results held by a feed
   * @param thread used by the maintenance alone
   */
  public CacheMaintenance(
      Caches caches, RequestDecoder decoder, Duration stalenessBound, EventExecutor thread) {
    this.caches = caches;
    this.thread = thread;
    this.decoder = decoder;
    this.refresher =
        new Refresher(
            loops,
            () -> caches.config().refresh(),
            () -> caches.config().refreshPerSecond(),
            clock());
    long patience = stalenessBound.plus(DomainConfig.SETTLE).plus(MARGIN).toNanos();
    this.auditor =
        new Auditor(
            loops,
            (maintenanceLoop, client, result, outcome) ->
                new AuditComparison(maintenanceLoop, client, result, patience, outcome).begin(),
            this::readChanges,
            new MismatchFollowUp(loops, stalenessBound),
            clock());
    begin();
  }

  /**
   * Adds an event loop with clients.
   *
   * @param stage cache stage of the loop
   * @param clients the current clients of the loop; called on the loop
   */
  public void addEventLoop(
      EventExecutor loop, CacheStage stage, Supplier<List<ClientSession>> clients) {
    loops.add(
        new MaintenanceLoop(
            loop,
            stage,
            new MaintenanceLoop.Context(
                clients, caches::partitions, decoder, caches::domains, caches.clockAndRandom())));
  }

  private LongSupplier clock() {
    return caches.clockAndRandom().clock();
  }

  private void begin() {
    caches.setRefreshListener(refresher);
    thread.scheduleAtFixedRate(
        new GuardedTask("audit and refresh-ahead", this::auditDue),
        TURN_MILLIS,
        TURN_MILLIS,
        TimeUnit.MILLISECONDS);
    long sweep = Math.max(MIN_SWEEP_MILLIS, caches.config().maxAge().toMillis());
    thread.scheduleAtFixedRate(
        new GuardedTask("removal of expired results", caches::sweep),
        sweep,
        sweep,
        TimeUnit.MILLISECONDS);
  }

  private void auditDue() {
    double rate = caches.config().auditPerSecond();
    dueAudits =
        Math.min(dueAudits + rate * TURN_MILLIS / TimeUnit.SECONDS.toMillis(1), Math.max(1, rate));
    while (dueAudits >= 1 && audits.get() < MAX_AUDITS_AT_ONCE) {
      dueAudits--;
      CachedResultRef result = nextResult();
      if (result == null) {
        return;
      }
      audits.incrementAndGet();
      auditor.audit(result, found -> audits.decrementAndGet());
    }
  }

  /** Returns the next result of a pass over all results. Random gaps make each pass different. */
  private @Nullable CachedResultRef nextResult() {
    ResultsHeldByFeed results = pass == null || pass.isAtEnd() ? caches.resultsHeldByFeed() : pass;
    pass = results;
    CachedResultRef result = null;
    for (int left = caches.clockAndRandom().random().applyAsInt(SKIP_BOUND); left >= 0; left--) {
      result = results.hasNextWithin(MAX_EXAMINED) ? results.next() : result;
    }
    return result;
  }

  private void readChanges(Set<Uuid> entries, int maxChanges, Consumer<List<RingRecord>> found) {
    readChanges(caches.domains().all().iterator(), entries, maxChanges, found);
  }

  /** Asks the feeds in turn: an entry belongs to one of them. */
  private static void readChanges(
      Iterator<FeedCoverage> coverages,
      Set<Uuid> entries,
      int maxChanges,
      Consumer<List<RingRecord>> found) {
    if (!coverages.hasNext()) {
      found.accept(List.of());
      return;
    }
    Consumer<List<RingRecord>> receiver =
        records -> {
          if (records.isEmpty()) {
            readChanges(coverages, entries, maxChanges, found);
          } else {
            found.accept(records);
          }
        };
    try {
      coverages.next().domain().findRecentChanges(entries, maxChanges, receiver);
    } catch (RejectedExecutionException e) {
      readChanges(coverages, entries, maxChanges, found); // that feed has been closed
    }
  }

  /**
   * Starts the comparison of all results held by a feed with the directory.
   *
   * @return its number; that of the running one if there is one
   */
  public synchronized long auditAll() {
    FullAudit current = fullAudit;
    if (current == null || current.isOver()) {
      fullAudits++;
      Budget budget =
          new Budget(FullAudit.MAX_AT_ONCE, () -> caches.config().fullAuditPerSecond(), clock());
      FullAudit next =
          new FullAudit(thread, auditor::audit, caches.resultsHeldByFeed(), budget, fullAudits);
      fullAudit = next;
      thread.execute(next::begin);
    }
    return fullAudits;
  }

  /** Returns the counters since the start. */
  public MaintenanceStatus status() {
    FullAudit last = fullAudit;
    return new MaintenanceStatus(
        refresher.refilled(),
        refresher.dropped(),
        refresher.withoutClient(),
        auditor.verified(),
        auditor.withoutClient(),
        auditor.undecided(),
        auditor.incoherent(),
        auditor.staleness(),
        last == null ? MaintenanceStatus.FullAuditStatus.NEVER : last.status());
  }

  @Override
  public void close() {
    caches.setRefreshListener(Caches.RefreshListener.NONE);
    thread.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
